// Prints the values that TensorFlow.js computes for the figure, as stored in the golden files in this directory.
//
//   npm install @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-converter@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0
//   node oracle.js ../../faces/blazeface 600 Identity > blazeface.txt
//   node oracle.js ../../cutout/selfie 256 > selfie.txt
const fs = require('fs'), zlib = require('zlib');
const tf = require('@tensorflow/tfjs-core');
const { loadGraphModel } = require('@tensorflow/tfjs-converter');
require('@tensorflow/tfjs-backend-cpu');

// figure draws a person in front of a wall. It uses only integers and divisions by 256, so that its values are the same
// on every machine.
function figure(side, y, x, c) {
  const u = Math.floor(x * 256 / side) - 128, v = Math.floor(y * 256 / side);
  let color = [90 + (v >> 2), 130, 170 - (v >> 3)];
  if (u * u + (v - 260) * (v - 260) < 105 * 105) color = [40, 60, 120];
  if (u * u * 9 + (v - 88) * (v - 88) * 5 < 18000) color = [50, 35, 25];
  if (u * u * 9 + (v - 100) * (v - 100) * 5 < 13000) color = [224, 172, 140];
  if (Math.abs(Math.abs(u) - 16) < 6 && Math.abs(v - 92) < 3 || Math.abs(u) < 13 && Math.abs(v - 124) < 3) color = [90, 40, 40];
  return (color[c] + ((x * 7 + y * 13 + c * 5) & 15)) / 256;
}

// input returns the figure with its colors as planes or interleaved, depending on the shape.
function input(shape) {
  const planes = shape[1] === 3, side = shape[2], data = new Float32Array(3 * side * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      for (let c = 0; c < 3; c++)
        data[planes ? (c * side + y) * side + x : (y * side + x) * 3 + c] = figure(side, y, x, c);
  return tf.tensor(data, shape);
}

async function main(path, samples, outputs) {
  await tf.setBackend('cpu');
  const read = ending => zlib.brotliDecompressSync(fs.readFileSync(path + ending + '.br'));
  const model = JSON.parse(read('.json')), data = read('.bin');
  const graph = await loadGraphModel({ load: async () => ({
    modelTopology: model.modelTopology, format: model.format, signature: model.signature,
    weightSpecs: model.weightsManifest.flatMap(group => group.weights),
    weightData: data.buffer.slice(data.byteOffset, data.byteOffset + data.length),
  }) });
  const [{ tensorShape }] = Object.values(model.signature.inputs);
  const shape = tensorShape.dim.map(side => Math.abs(Number(side.size))); // -1 is any number of pictures
  const inputs = { [graph.inputs[0].name]: input(shape) };
  for (const name of outputs.length ? outputs : Object.keys(model.signature.outputs)) {
    const output = graph.execute(inputs, name).dataSync();
    const step = Math.floor(output.length / samples) | 1;
    for (let i = 0; i < samples; i++) console.log(name.replace(':0', ''), i * step % output.length, output[i * step % output.length]);
  }
}

main(process.argv[2], Number(process.argv[3]), process.argv.slice(4));
