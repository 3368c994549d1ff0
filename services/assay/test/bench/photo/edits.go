package photo

import "github.com/assay-project/assay/services/assay/test/bench/paired"

// edits returns the trials I3: three edits of a photo job, each without and with the description.
func (m maker) edits() (all []paired.Trial) {
	middle, out := m.out+"-3.v", m.out+"-vips-edit.jpg[Q=85,strip]"
	for _, e := range []struct {
		id, prompt string
		vips       [][]string
	}{
		{"I3a", "resize 1600", [][]string{{"thumbnail", m.in, out, "1600", "--size", "down"}}},
		{"I3b", "rotate 90", [][]string{{"rot", m.in, out, "d90"}}},
		{"I3c", "auto levels, sharpen", [][]string{{"scale", m.in, middle}, {"sharpen", middle, out}}},
	} {
		vips := m.rival("libvips", "vips", func() [][]string { return e.vips })
		all = append(all,
			vips.trial("12 MP, "+e.prompt, m.side("assay", m.own, []string{"edit", e.prompt, m.in, m.out}),
				paired.Goal{ID: e.id, Direction: paired.AtMost, Must: 1}),
			vips.trial("12 MP, description and "+e.prompt, m.side("assay", m.own, []string{"describe", e.prompt, m.in, m.out}),
				paired.Goal{ID: e.id + "d", Direction: paired.AtMost, Must: 2}))
	}
	return all
}
