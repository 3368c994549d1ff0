# Prints what RDKit determines for the records of the SDF files named on standard input, for TestAgainstRDKit: file, index,
# and either the composition, charge and exact mass, which is empty if RDKit has no mass of an isotope, or a word that
# states why there are none.
import gzip
import sys
from collections import Counter

from rdkit import Chem, RDLogger
from rdkit.Chem.Descriptors import ExactMolWt

RDLogger.DisableLog("rdApp.*")
table = Chem.GetPeriodicTable()


def wrong_isotope(z):
    """Correction of RDKit's mass of an element: 2022.09 has V-50 (0.25 %) as the most abundant isotope instead of V-51."""
    most = max(range(z, 3 * z + 2), key=lambda a: table.GetAbundanceForIsotope(z, a))
    if not table.GetAbundanceForIsotope(z, most):
        return 0
    return table.GetMassForIsotope(z, most) - table.GetMostCommonIsotopeMass(z)


for name in sys.stdin.read().splitlines():
    data = (gzip.open(name) if name.endswith(".gz") else open(name, "rb")).read()
    blocks = data.decode("latin1").replace("\r\n", "\n").split("$$$$\n")
    if not blocks[-1].strip():
        blocks.pop()
    for index, block in enumerate(blocks):
        mol = Chem.MolFromMolBlock(block, sanitize=False, removeHs=False)
        word = None
        if mol is None:
            word = "unread"
        elif any(a.HasQuery() or a.GetAtomicNum() == 0 for a in mol.GetAtoms()):
            word = "query"
        else:
            try:
                Chem.SanitizeMol(mol)
            except Exception:
                word = "invalid"
        if word:
            print(name, index, word, sep="\t")
            continue
        count = Counter()
        mass = ExactMolWt(mol)
        unknown = any(a.GetIsotope() and not table.GetMassForIsotope(a.GetAtomicNum(), a.GetIsotope()) for a in mol.GetAtoms())
        for atom in mol.GetAtoms():
            if not atom.GetIsotope():
                mass += wrong_isotope(atom.GetAtomicNum())
            count[atom.GetSymbol()] += 1
            count["H"] += atom.GetTotalNumHs()
        composition = " ".join("%s%d" % pair for pair in sorted(count.items()) if pair[1])
        print(name, index, composition, Chem.GetFormalCharge(mol), "" if unknown else "%.6f" % mass, sep="\t")
