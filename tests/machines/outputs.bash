#!/bin/bash
# The same commands on every machine: outputs.bash FOLDER COMMAND... writes what COMMAND, dmlop or
# what runs it, makes of samples and of made tensors, files and messages, into FOLDER.
set -u
samples=$(cd "$(dirname "$0")/../../samples" && pwd)
folder=$1
shift
dmlop=("$@")
python=${PYTHON:-/usr/bin/python3}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1

# try NAME ARGUMENTS: standard output, standard error and status in files of that name.
try() {
    local name=$1
    shift
    "${dmlop[@]}" "$@" >"$name.out" 2>"$name.err"
    echo $? >"$name.status"
}

ln -s "$samples" s
# The same tensors of every type on every machine, and each operator on each of its types and
# orders.
for t in float64 float32 float16 int64 int32 int16 int8 uint64 uint32 uint16 uint8; do
    "${dmlop[@]}" make --dtype $t --sizes 3,40,50 --random 7 -o $t.npy
    try $t.info info --stats --histogram $t.npy
    try $t.show show --index 1,::9,::-7 $t.npy
    try $t.json slice --index 0,:3,:5 $t.npy --format json
    try $t.permuted convert --permute 2,0,1 $t.npy -o $t.permuted.npy
    "$python" -c 'import sys, numpy as np
x = np.load(sys.argv[1] + ".npy")
np.save(sys.argv[1] + ".foreign.npy", np.asfortranarray(x.astype(x.dtype.newbyteorder(">"))))' $t
    try $t.slice slice --index ::2,::-3,4: $t.npy -o $t.slice.npy
    try $t.across slice --index :,::-1,::7 $t.foreign.npy -o $t.across.npy
    for k in 1 17 all; do
        try $t.topk.$k topk -k $k --axis 1 $t.npy -o $t.topk.$k.npy --indices $t.index.$k.npy
    done
    try $t.least topk -k 5 --smallest --index-type uint64 $t.npy -o $t.least.npy
    for part in 0 1 2; do
        try $t.part.$part topk -k 7 $t.npy -o $t.parts.npy --part $part/3 --no-sync
    done
    rm -f $t.parts.npy.parts/*.json # host and timings
    try $t.float32 convert --dtype float32 --clamp $t.npy -o $t.float32.npy
    try $t.compare compare $t.npy $t.float32.npy --atol 0.5 --rtol 1e-3
done
for a in int8 uint8; do
    for b in int8 uint8; do
        "${dmlop[@]}" make --dtype $a --sizes 2,1,37,130 --random 3 -o a.npy
        "${dmlop[@]}" make --dtype $b --sizes 2,1,130,45 --random 4 -o b.npy
        try $a$b qmatmul a.npy b.npy --a-scale 0.013 --b-scale 0.02 --output-scale 1.7 \
            --a-zero-point 3 --b-zero-point 5 \
            --output-type int8 -o $a$b.npy
        try $a$b.explain qmatmul a.npy b.npy --a-scale 0.013 --b-scale 0.02 --output-scale 1.7 \
            --explain 1,0,5,6
    done
done
for f in s/*.desc.json s/*.model.json s/broken.json; do
    try "${f##*/}.validate" validate "$f"
    try "${f##*/}.json" validate --format json "$f"
done
for f in s/*.model.json; do try "${f##*/}.run" run "$f"; done

# Raw files of a model, in and out.
printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' >raw.bin
cat >raw.json <<'M'
{ "resources": {
    "x": { "initialValuesDataType": "FLOAT32", "initialValues": { "sourcePath": "raw.bin" } },
    "y": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 4, "value": 0 } } },
  "dispatchables": { "d": { "type": "DML_OPERATOR_SLICE1", "desc": {
    "InputTensor": { "DataType": "FLOAT32", "Sizes": [1, 4] },
    "OutputTensor": { "DataType": "FLOAT32", "Sizes": [1, 4] },
    "InputWindowOffsets": [0, 0], "InputWindowSizes": [1, 4], "InputWindowStrides": [1, -1] } } },
  "commands": [
    { "type": "dispatch", "dispatchable": "d",
      "bindings": { "InputTensor": "x", "OutputTensor": "y" } },
    { "type": "print", "resource": "y" },
    { "type": "writeFile", "resource": "y", "targetPath": "raw.out.bin" } ] }
M
try raw.run run raw.json --output-folder .
try version --version
sed -i "s/[0-9.]* ms median/ms median/" ./*.run.out
rm -f s version.out
