# Reads the molecules of the SDF file or the list of SMILES given as the argument, and writes a line for each: the bits of its
# Morgan fingerprint in ascending order, or a hyphen if RDKit cannot read it. TestFingerprintsAgainstPython runs it.
import sys
from rdkit import Chem, RDLogger
from rdkit.Chem import rdMolDescriptors

RDLogger.DisableLog("rdApp.*")
path = sys.argv[1]
if path.endswith(".sdf"):
    molecules = Chem.SDMolSupplier(path)
else:
    molecules = [Chem.MolFromSmiles(line.strip()) for line in open(path)]
for molecule in molecules:
    if molecule is None:
        print("-")
        continue
    print(*rdMolDescriptors.GetMorganFingerprintAsBitVect(molecule, 2, nBits=2048).GetOnBits())
