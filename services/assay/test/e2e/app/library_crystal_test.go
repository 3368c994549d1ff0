package app

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// salt is rock salt with the translations of its cell, which has 4 atoms of each element. Atoms on its faces are drawn once.
const salt = `data_salt
_cell_length_a 5.64
_cell_length_b 5.64
_cell_length_c 5.64
_cell_angle_alpha 90
_cell_angle_beta 90
_cell_angle_gamma 90
loop_
_symmetry_equiv_pos_as_xyz
'x, y, z'
'x, y+1/2, z+1/2'
'x+1/2, y, z+1/2'
'x+1/2, y+1/2, z'
loop_
_atom_site_label
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
Na1 Na 0 0 0
Cl1 Cl 0.5 0.5 0.5
`

// crystals: the drawing of a crystal is rotated with the pointer and with the keyboard.
func crystals(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	n := keep(t, s, p.Owner, "salt.cif", "", salt)
	p.Go(t, "/library/"+n.ID)
	p.Wait(t, `document.querySelector(".drawings img")?.naturalWidth > 0`)
	p.Click(t, ".drawings button", "Rotate")
	p.See(t, "canvas[role=img]", "Cell with 8 atoms.")
	p.State(t, "file-crystal")
	p.Eval(t, `window.before = document.querySelector("canvas").toDataURL(); document.querySelector("canvas").focus()`)
	differs := func() {
		t.Helper()
		p.Wait(t, `document.querySelector("canvas").toDataURL() !== window.before`)
	}
	p.Press(t, kb.ArrowRight)
	differs()
	p.Press(t, kb.ArrowLeft)
	p.Wait(t, `document.querySelector("canvas").toDataURL() === window.before`)
	p.Eval(t, `const canvas = document.querySelector("canvas"), { left, top } = canvas.getBoundingClientRect();
		canvas.setPointerCapture = () => {};
		for (const [kind, by, buttons] of [["pointerdown", 0, 1], ["pointermove", 40, 1], ["pointerup", 40, 0]]) {
			canvas.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: left + 100 + by, clientY: top + 100, buttons }));
		}`)
	differs()
	p.Click(t, ".drawings button", "Rotate")
	p.Gone(t, "canvas", "")
}
