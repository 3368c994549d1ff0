package rdkit

import (
	"fmt"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

// morgan are the parameters of a fingerprint. The other ones have the defaults of RDKit's Morgan generator.
const morgan = `{"radius":2,"nBits":2048}`

// withoutHydrogens makes hydrogens implicit that show the arrangement at a double bond, as in [H]/N=C. get_mol keeps them, and
// a molecule would have another fingerprint with them than without.
const withoutHydrogens = `{"removeDefiningBondStereo":true}`

// Fingerprint returns the Morgan fingerprint of a MOL block or a SMILES, with the radius 2. It returns the same errors as
// Identify.
func (s *Session) Fingerprint(block string) (f *fingerprint.Fingerprint, err error) {
	err = s.with(block, func(r *run, molecule uint64) {
		const heavyOnly = 1
		if r.call("Mol.get_num_atoms", molecule) > r.call("Mol.get_num_atoms", molecule, heavyOnly) {
			details := r.string(withoutHydrogens)
			r.call("Mol.remove_hs_in_place", molecule, details)
			r.instance.Call(exportFree, details)
		}
		details := r.string(morgan)
		text := r.text("Mol.get_morgan_fp", molecule, details)
		r.instance.Call(exportFree, details)
		if r.instance.Err() != nil {
			return
		}
		var bad error
		if f, bad = fingerprint.Parse(text); bad != nil {
			r.instance.Fail(fmt.Errorf("%w: %w", ErrUnreadable, bad))
		}
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}
