// Reads a JSON list of MOL blocks from standard input, identifies them with the npm package in the directory given as
// the argument, and writes a list of their identities. TestAgainstNode runs it.
const path = require("path");
const rdkit = require(path.join(path.resolve(process.argv[2]), "dist", "RDKit_minimal.js"));
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", async () => {
  const kit = await rdkit();
  const all = JSON.parse(Buffer.concat(chunks)).map((block) => {
    const molecule = kit.get_mol(block, '{"removeHs":true}');
    if (!molecule) return null;
    const inchi = molecule.get_inchi();
    const id = { SMILES: molecule.get_smiles(), InChI: inchi, InChIKey: inchi ? kit.get_inchikey_for_inchi(inchi) : "", Layout: molecule.get_new_coords() };
    molecule.delete();
    return id;
  });
  process.stdout.write(JSON.stringify(all));
});
