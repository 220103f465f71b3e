#include <ctype.h>
#include <string.h>

#include "io/file.h"
#include "io/kind.h"

/* True if an archive has a member with such a name: names of the first members are at its
 * beginning, the list of all at its end. */
static bool holds(const struct input *in, const char *name)
{
    enum { TAIL = 16 * KIND_PREFIX };
    size_t n = in->len < KIND_PREFIX ? in->len : KIND_PREFIX,
           tail = in->len < TAIL ? in->len : TAIL;

    return memmem(in->data, n, name, strlen(name)) ||
           memmem(in->data + in->len - tail, tail, name, strlen(name));
}

/* True for a whole archive that lacks its end record, which has 22 bytes and a comment. */
static bool is_cut(const struct input *in)
{
    enum { END = 22, COMMENT_MOST = 0xffff };
    size_t n = in->len > END ? in->len - END : 0, tail = n < COMMENT_MOST ? n : COMMENT_MOST;

    return !in->more && !memmem(in->data + n - tail, tail + 4, "PK\x05\x06", 4);
}

static bool is_torch_zip(const struct input *in) { return holds(in, "/data.pkl"); }
static bool is_office(const struct input *in) { return holds(in, "[Content_Types].xml"); }
static bool is_npz(const struct input *in) { return holds(in, ".npy"); }

/* Eight bytes, the length of a JSON text, and the text. */
static bool is_safetensors(const struct input *in)
{
    return in->len > 9 && memcmp(in->data + 5, "\0\0\0", 3) == 0 && in->data[8] == '{' &&
           (in->data[0] | in->data[1] | in->data[2] | in->data[3] | in->data[4]) > 1;
}

/* Protocol buffers: ModelProto's ir_version, then another of its fields. */
static bool is_onnx(const struct input *in)
{
    static const char fields[] = "\x12\x1a\x22\x28\x32\x3a\x42";
    unsigned char next = in->len > 2 ? in->data[2] : 0;

    return next && in->data[0] == 0x08 && in->data[1] > 0 && in->data[1] < 64 &&
           strchr(fields, next);
}

/* Protocol buffers: TensorProto's dims, then data_type. */
static bool is_onnx_tensor(const struct input *in)
{
    size_t at = 0;

    while (at + 1 < in->len && in->data[at] == 0x08) {
        at++;
        while (at < in->len && in->data[at] & 0x80)
            at++;
        at++;
    }
    return at > 0 && at + 2 < in->len && in->data[at] == 0x10 && in->data[at + 1] > 0 &&
           in->data[at + 1] < 32;
}

static bool is_bitmap(const struct input *in)
{
    return in->len > 14 && memcmp(in->data + 6, "\0\0\0\0", 4) == 0;
}

/* UTF-16 without a mark: ASCII and a zero byte by turns. */
static bool is_utf16(const struct input *in, size_t text)
{
    const unsigned char *p = in->data;

    return in->len >= 4 && p[text] && strchr("[{-/0123456789", p[text]) && !p[1 - text] &&
           !p[3 - text] && (isprint(p[2 + text]) || isspace(p[2 + text]));
}

size_t kind_text_start(const struct input *in)
{
    size_t i = in->len > 3 && memcmp(in->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (i < in->len && isspace(in->data[i]))
        i++;
    return i;
}

static bool begins(const struct input *in, const char *text)
{
    size_t i = kind_text_start(in), n = strlen(text);

    return in->len - i >= n && memcmp(in->data + i, text, n) == 0;
}

static bool is_lfs(const struct input *in) { return begins(in, "version https://git-lfs"); }
static bool is_markup(const struct input *in) { return begins(in, "<"); }
static bool is_pickle(const struct input *in) { return in->len > 1 && in->data[1] - 2u < 4; }
static bool is_utf16_little(const struct input *in) { return is_utf16(in, 0); }
static bool is_utf16_big(const struct input *in) { return is_utf16(in, 1); }

#define MAGIC(text) .magic = (text), .len = sizeof(text) - 1
#define PICKLE      "import pickle; numpy.save(o, numpy.asarray(pickle.load(open(i, \"rb\"))))"
#define TORCH \
    "import torch; t = torch.load(i, map_location=\"cpu\"); " \
    "numpy.savez(o, **(t if isinstance(t, dict) else {\"tensor\": t}))"
#define HDF5(value) \
    "import h5py; d = {}; h5py.File(i).visititems(lambda n, x: d.update({n: " value "}) " \
    "if isinstance(x, h5py.Dataset) and x.dtype.kind in \"biuf\" else None); numpy.savez(o, **d)"
#define DAMAGED    "the data are damaged; transfer the file again, as binary data"
#define POWERSHELL "the data are damaged, as by a pipe or > of PowerShell; write the file with -o"
#define IMAGE      "from PIL import Image; numpy.save(o, numpy.asarray(Image.open(i)))"

/* The first row that fits counts. */
static const struct kind kinds[] = {
    { "a .npz or zip archive that is cut short", ADVICE, "get the whole file", MAGIC("PK\x03\x04"),
      .is = is_cut },
    { "a PyTorch file", TO_NPZ, TORCH, MAGIC("PK\x03\x04"), .is = is_torch_zip },
    { "a PyTorch file", TO_NPZ, TORCH, MAGIC("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.") },
    { "a spreadsheet or another office document", ADVICE, "export the numbers as CSV, then try it",
      MAGIC("PK\x03\x04"), .is = is_office },
    { "a .npz archive", MEMBER, "", MAGIC("PK\x03\x04"), .is = is_npz },
    { "a .npz or zip archive", ADVICE,
      "unpack it with unzip; of a .npz, name an array as FILE.npz:NAME", MAGIC("PK\x03\x04") },
    { "an empty .npz or zip archive", ADVICE, "there is no array in it", MAGIC("PK\x05\x06") },
    { "a safetensors file", TO_NPZ,
      "from safetensors.numpy import load_file; numpy.savez(o, **load_file(i))",
      .is = is_safetensors },
    { "an ONNX model", TO_NPZ,
      "import onnx; from onnx.numpy_helper import to_array; "
      "numpy.savez(o, **{t.name: to_array(t) for t in onnx.load(i).graph.initializer})",
      .is = is_onnx },
    { "an ONNX tensor", TO_NPY,
      "import onnx; from onnx.numpy_helper import to_array; "
      "numpy.save(o, to_array(onnx.load_tensor(i)))",
      .is = is_onnx_tensor },
    { "a GGUF model", TO_NPZ,
      "import gguf; numpy.savez(o, **{t.name: t.data for t in gguf.GGUFReader(i).tensors})",
      MAGIC("GGUF") },
    { "a TensorFlow Lite model", ADVICE, "save a tensor of it with numpy.save", MAGIC("TFL3"),
      .offset = 4 },
    { "an HDF5 file", TO_NPZ, HDF5("x[()]"), MAGIC("\x89HDF\r\n\x1a\n") },
    { "a MATLAB 7.3 file", TO_NPZ, HDF5("x[()].T"), MAGIC("MATLAB 7.3 ") },
    { "a MATLAB file", TO_NPZ,
      "import scipy.io; numpy.savez(o, **{k: v for k, v in scipy.io.loadmat(i).items() "
      "if k[0] != \"_\"})",
      MAGIC("MATLAB ") },
    { "a Parquet file", TO_NPY, "import pandas; numpy.save(o, pandas.read_parquet(i).to_numpy())",
      MAGIC("PAR1") },
    { "an Arrow file", TO_NPY, "import pandas; numpy.save(o, pandas.read_feather(i).to_numpy())",
      MAGIC("ARROW1") },
    { "a Python pickle", TO_NPY, PICKLE, MAGIC("\x80"), .is = is_pickle },
    { "a Python pickle", TO_NPY, PICKLE, MAGIC("(lp0\n") },
    { "a Python pickle", TO_NPY, PICKLE, MAGIC("(dp0\n") },
    { "a Python pickle", TO_NPY, PICKLE, MAGIC("cnumpy") },
    { "gzip-compressed data", UNPACK, "gunzip -c", MAGIC("\x1f\x8b") },
    { "bzip2-compressed data", UNPACK, "bunzip2 -c", MAGIC("BZh") },
    { "xz-compressed data", UNPACK, "unxz -c",
      MAGIC("\xfd"
            "7zXZ") },
    { "zstd-compressed data", UNPACK, "unzstd -c", MAGIC("\x28\xb5\x2f\xfd") },
    { "LZ4-compressed data", UNPACK, "unlz4 -c", MAGIC("\x04\x22\x4d\x18") },
    { "a 7z archive", ADVICE, "unpack it with 7z x", MAGIC("7z\xbc\xaf\x27\x1c") },
    { "a tar archive", ADVICE, "unpack it with tar -xf", MAGIC("ustar"), .offset = 257 },
    { "a PNG picture", TO_NPY, IMAGE, MAGIC("\x89PNG\r\n\x1a\n") },
    { "a JPEG picture", TO_NPY, IMAGE, MAGIC("\xff\xd8\xff") },
    { "a GIF picture", TO_NPY, IMAGE, MAGIC("GIF8") },
    { "a TIFF picture", TO_NPY, IMAGE, MAGIC("II*\0") },
    { "a TIFF picture", TO_NPY, IMAGE, MAGIC("MM\0*") },
    { "a WebP picture", TO_NPY, IMAGE, MAGIC("WEBP"), .offset = 8 },
    { "a BMP picture", TO_NPY, IMAGE, MAGIC("BM"), .is = is_bitmap },
    { "a Matrix Market file", TO_NPY,
      "import scipy.io; m = scipy.io.mmread(i); "
      "numpy.save(o, m.toarray() if hasattr(m, \"toarray\") else m)",
      MAGIC("%%MatrixMarket ") },
    { "a PDF document", ADVICE, "give the file that has the numbers", MAGIC("%PDF") },
    { "a program or a library", ADVICE, "give the file that has the numbers",
      MAGIC("\x7f"
            "ELF") },
    { "a .npy file that became UTF-8 text", ADVICE, DAMAGED, MAGIC("\xc2\x93NUMPY") },
    { "a .npy file that became UTF-8 text", ADVICE, DAMAGED, MAGIC("\xe2\x80\x9cNUMPY") },
    { "a .npy file that became UTF-8 text", ADVICE, DAMAGED, MAGIC("\xef\xbf\xbdNUMPY") },
    { "a .npy file that became UTF-8 text", ADVICE, DAMAGED, MAGIC("\xef\xbb\xbf\xc2\x93NUMPY") },
    { "a .npy file that became UTF-8 text", ADVICE, DAMAGED,
      MAGIC("\xef\xbb\xbf\xef\xbf\xbdNUMPY") },
    { "a .npy file that became UTF-8 text", ADVICE, POWERSHELL, MAGIC("\xc3\xb4NUMPY") },
    { "a .npy file that became ASCII text", ADVICE, POWERSHELL, MAGIC("?NUMPY") },
    { "a .npy file that became UTF-16 text", ADVICE, POWERSHELL, MAGIC("N\0U\0M\0P\0Y"),
      .offset = 4 },
    { "a .npy file behind a byte-order mark", ADVICE,
      "remove the mark, its first 3 bytes, with tail -c +4, or transfer the file again, as binary "
      "data",
      MAGIC("\xef\xbb\xbf\x93NUMPY") },
    { "a Git LFS pointer", REPAIR, "fetch the file itself with: git lfs pull", .is = is_lfs },
    { "a web page (HTML or XML)", REPAIR, "look whether a download went wrong", .is = is_markup },
    { "UTF-32 text", DECODE, "iconv -f UTF-32 -t UTF-8", MAGIC("\xff\xfe\0\0") },
    { "UTF-32 text", DECODE, "iconv -f UTF-32 -t UTF-8", MAGIC("\0\0\xfe\xff") },
    { "UTF-16 text", DECODE, "iconv -f UTF-16 -t UTF-8", MAGIC("\xff\xfe") },
    { "UTF-16 text", DECODE, "iconv -f UTF-16 -t UTF-8", MAGIC("\xfe\xff") },
    { "UTF-16 text", DECODE, "iconv -f UTF-16LE -t UTF-8", .is = is_utf16_little },
    { "UTF-16 text", DECODE, "iconv -f UTF-16BE -t UTF-8", .is = is_utf16_big },
};

bool kind_is_lfs(const char *path)
{
    unsigned char head[64];
    ptrdiff_t n = file_head(path, head, sizeof head, NULL);

    return is_lfs(&(struct input){ .data = head, .len = n < 0 ? 0 : (size_t)n });
}

const struct kind *kind_find(const struct input *in)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const struct kind *k = &kinds[i];

        if (in->len >= k->offset + k->len &&
            (!k->magic || memcmp(in->data + k->offset, k->magic, k->len) == 0) &&
            (!k->is || k->is(in)))
            return k;
    }
    return NULL;
}
