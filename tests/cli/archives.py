"""Archives in the current folder are read by NumPy, and by unzip's checks of every member."""
import struct
import zipfile

import numpy as np

x = np.load("a.npy")
order = np.argsort(-x, axis=1)[:, :3]
q = np.load("q.npy").astype(int)
wanted = {"all.npz": {n: np.load(n + ".npy") for n in "abäs"},
          "slice.NPZ": {"output": x[::-2, 5:6]},
          "topk.npz": {"values": np.take_along_axis(x, order, 1), "indices": order.astype("u8")},
          "product.npz": {"output": np.rint(q @ q / 64).clip(0, 255).astype("u1")},
          "make.npz": {"output": np.arange(3, dtype="f4")}}
for file, arrays in wanted.items():
    z = np.load(file)
    assert z.files == list(arrays), (file, z.files)
    for name, array in arrays.items():
        assert z[name].dtype == array.dtype.newbyteorder("<"), (file, name, z[name].dtype)
        assert np.array_equal(z[name], array), (file, name)
    with zipfile.ZipFile(file) as f:
        assert f.testzip() is None
        text = open(file, "rb").read()
        for i in f.infolist():  # readers of streams see the same in front of each member
            local = struct.unpack_from("<IHHHHHIIIHH", text, i.header_offset)
            assert local[6:9] == (i.CRC, i.file_size, i.file_size) and local[2] == 0x800, local
