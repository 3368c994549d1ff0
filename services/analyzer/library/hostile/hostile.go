// Package hostile generates files that make a naive parser use much memory or time: for every format of the library, with
// deep nesting, large stated counts, decompression bombs, references to itself, repeated references and long lines.
package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// File is a generated file.
type File struct {
	Name string // with the extension of its format
	Data []byte
}

// Files returns files of about size bytes, some of them larger when they are decompressed. They are the same for the same
// seed.
func Files(seed uint64, size int) []File {
	random := rand.New(rand.NewPCG(seed, 10))
	var all []File
	for _, generate := range []func(*rand.Rand, int) []File{pages, texts, records, archives, compounds, pictures, headers, drawings} {
		all = append(all, generate(random, size)...)
	}
	return all
}

// repeat returns unit repeated up to about size bytes.
func repeat(unit string, size int) string { return strings.Repeat(unit, max(size/len(unit), 1)) }

// huge returns a large number: a count, an index or a size that no file has.
func huge(random *rand.Rand) string {
	all := []string{"999", "65535", "99999999", "2147483647", "4294967295", "9223372036854775807", "18446744073709551616", "1e308", "-1"}
	return all[random.IntN(len(all))]
}

// numbered returns pieces that each contain their number, up to about size bytes.
func numbered(format string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// pages returns web pages.
func pages(random *rand.Rand, size int) []File {
	var all []File
	units := map[string]string{
		"inline": "<b><i><u><p>", "deep": "<div>", "spans": "<span>x ", "lists": "<ul><li>x ", "tables": "<table><tr><td>x ", "foster": "<table>x<tr>", "links": "<a href=x><p>",
		"nobr": "<nobr><a><font>x<div>", "select": "<select><option>x", "svg": "<svg><style><b>", "noscript": "<noscript><b><i><p></noscript>",
		"entities": "&NotEqualTilde;", "lines": "<pre>\n\n\n\n", "forms": "<form><p>", "templates": "<template>", "comments": "<!-- x ", "ends": "</p>", "quotes": "'\"<",
	}
	for _, name := range sorted(units) {
		all = append(all, File{"page-" + name + ".html", []byte("<html><body>" + repeat(units[name], size))})
	}
	var mixed strings.Builder
	names := sorted(units)
	for mixed.Len() < size {
		mixed.WriteString(strings.Repeat(units[names[random.IntN(len(names))]], 1+random.IntN(300)))
	}
	return append(all,
		File{"page-mixed.html", []byte("<html><body>" + mixed.String())},
		File{"page-attributes.html", []byte("<html><body><p " + numbered(" a%d=x", size) + ">x")},
		File{"page-token.html", []byte("<html><body><img alt='" + repeat("x", size) + "'>x")},
		File{"page-metadata.html", []byte(`<html><script type="application/ld+json">` + repeat("[", size) + "</script><p>x")})
}

// texts returns texts and delimited tables.
func texts(random *rand.Rand, size int) []File {
	file := func(name, text string) File { return File{name, []byte(text)} }
	return []File{
		file("text-line.txt", repeat("x", size)), file("text-nested.json", repeat("[", size)), file("text-wide.md", repeat("*", size)),
		file("table-names.csv", repeat("a,", size)+"\n"+repeat("1,", size)), file("table-columns.csv", numbered("c%d,", size)+"\n"+repeat("1,", size)),
		file("table-quotes.csv", "a,b\n"+repeat("\"x\n", size)), file("table-rows.tsv", "a\tb\n"+repeat("1\t\n", size)), file("table-line.csv", "a,b\n"+repeat("x", size)),
		file("table-ragged.csv", "a;b\n"+repeat(strings.Repeat(";", random.IntN(900))+"1\n", size)),
	}
}

// records returns files of molecules, reactions, crystals and spectra.
func records(random *rand.Rand, size int) []File {
	file := func(name, text string) File { return File{name, []byte(text)} }
	atom := "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
	v2000 := func(counts, body string) string {
		return "x\n\n\n" + counts + "  0  0  0  0  0  0  0  0999 V2000\n" + body
	}
	v3000 := func(counts, body string) string {
		return "x\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS " + counts + " 0 0 0\n" + body + "M  END\n$$$$\n"
	}
	jdx := func(points, data string) string {
		return "##TITLE=x\n##JCAMP-DX=4.24\n##DATA TYPE=INFRARED SPECTRUM\n##XUNITS=1/CM\n##YUNITS=ABSORBANCE\n##FIRSTX=1\n##LASTX=2\n##NPOINTS=" + points + "\n" + data + "\n##END=\n"
	}
	return []File{
		file("counts.sdf", v2000("999999", repeat(atom, size))), file("line.sdf", repeat("x", size)), file("many.sdf", repeat("$$$$\n", size)),
		file("fields.sdf", v2000("  0  0", "M  END\n"+numbered("> <f%d>\n1\n\n", size)+"$$$$\n")),
		file("repeated.sdf", v2000("  0  0", "M  END\n"+repeat("> <f>\n1\n\n", size)+"$$$$\n")),
		file("counts.mol", v3000(huge(random)+" "+huge(random), "M  V30 BEGIN ATOM\n"+repeat("M  V30 1 C 0 0 0 0\n", size))),
		file("continued.mol", v3000("1 0", "M  V30 BEGIN ATOM\n"+repeat("M  V30 -\n", size))),
		file("groups.mol", v3000("1 0", repeat("M  V30 BEGIN SGROUP\n", size))),
		file("counts.rxn", "$RXN\n\n\n\n"+huge(random)[:3]+"999\n"+repeat("$MOL\n", size)), file("nested.rdf", "$RDFILE 1\n$DATM x\n"+repeat("$RFMT\n$RXN\n", size)),
		file("data.rdf", "$RDFILE 1\n$RFMT\n$DTYPE x\n$DATUM "+repeat("x", size)),
		file("loop.cif", "data_x\n_cell_length_a 1\nloop_\n"+numbered("_a%d\n", size/2)+repeat("1 ", size/2)),
		file("symmetry.cif", "data_x\n_cell_length_a 1\n_cell_length_b 1\n_cell_length_c 1\n_cell_angle_alpha 90\n_cell_angle_beta 90\n_cell_angle_gamma 90\nloop_\n_symmetry_equiv_pos_as_xyz\n"+
			repeat("x,y,z\n", size/2)+"loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"+repeat("C1 0.1 0.2 0.3\n", size/2)),
		file("text.cif", "data_x\n_a\n;"+repeat("x\n", size)), file("blocks.cif", "_a 1\n"+repeat("data_x\n_a 1\n", size)), file("cell.cif", "data_x\n_cell_length_a "+huge(random)+"\n_cell_length_b 1e-300\n"),
		file("repeats.jdx", jdx(huge(random), "##XYDATA=(X++(Y..Y))\n1A"+repeat("Z99999999", size))), file("differences.jdx", jdx(huge(random), "##XYDATA=(X++(Y..Y))\n"+repeat("1A%J\n", size))),
		file("points.jdx", jdx("9", "##XYPOINTS=(XY..XY)\n"+repeat("1,1 ", size))), file("blocks.jdx", "##TITLE=x\n##JCAMP-DX=4.24\n##DATA TYPE=LINK\n##BLOCKS="+huge(random)+"\n"+repeat(jdx("1", ""), size)),
		file("labels.jdx", jdx("1", numbered("##$L%d=1\n", size))), file("tuples.jdx", jdx("1", "##NTUPLES=x\n##SYMBOL="+repeat("X,", size)+"\n##VAR_DIM="+huge(random)+"\n##PAGE=N=1\n##DATA TABLE=(X++(Y..Y)), XYDATA\n1 1")),
	}
}

// drawings returns SVG and PDF, which are read in a sandbox.
func drawings(_ *rand.Rand, size int) []File {
	uses := `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><g id="u0"><rect width="9" height="9"/></g>`
	for i := 1; i < 30; i++ {
		uses += fmt.Sprintf(`<g id="u%d"><use href="#u%d"/><use href="#u%d"/></g>`, i, i-1, i-1)
	}
	entities := "<!DOCTYPE svg [<!ENTITY e0 'x'>"
	for i := 1; i < 30; i++ {
		entities += fmt.Sprintf(`<!ENTITY e%d "&e%d;&e%d;&e%d;">`, i, i-1, i-1, i-1)
	}
	return []File{
		{"uses.svg", []byte(uses + "</svg>")}, {"entities.svg", []byte(entities + `]><svg xmlns="http://www.w3.org/2000/svg"><text>&e29;</text></svg>`)},
		{"deep.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">` + repeat("<g>", size))},
		{"self.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g id="a"><use href="#a"/></g><use href="#a"/></svg>`)},
		{"arrays.pdf", []byte("%PDF-1.4\n1 0 obj\n" + repeat("[", size) + "\nendobj\ntrailer<</Root 1 0 R>>")},
		{"self.pdf", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 99999999>>endobj\ntrailer<</Root 1 0 R/Size 3>>")},
		{"objects.pdf", []byte("%PDF-1.4\n" + numbered("%d 0 obj<</Length 99999999>>stream\nendstream endobj\n", size) + "trailer<</Root 1 0 R/Prev 9/Size 99999999>>")},
	}
}

// headers returns microscopy files.
func headers(_ *rand.Rand, size int) []File {
	le := binary.LittleEndian
	tiff := func(description string) []byte {
		b := le.AppendUint32([]byte("II*\x00"), 8)
		b = le.AppendUint16(b, 1) // one entry: ImageDescription
		b = le.AppendUint16(b, 270)
		b = le.AppendUint16(b, 2)
		b = le.AppendUint32(b, uint32(len(description)))
		b = le.AppendUint32(b, 26)
		return append(le.AppendUint32(b, 8), description...) // the next directory is the same one
	}
	const ome = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">`
	lif := func(text string) []byte {
		var utf16 bytes.Buffer
		for _, c := range []byte(text) {
			utf16.Write([]byte{c, 0})
		}
		b := le.AppendUint32(nil, 0x70)
		b = le.AppendUint32(b, uint32(5+utf16.Len()))
		b = append(b, 0x2a)
		return append(le.AppendUint32(b, uint32(len(text))), utf16.Bytes()...)
	}
	czi := make([]byte, 400)
	copy(czi, "ZISRAWFILE")
	copy(czi[92:], "\xff\xff\xff\xff\xff\xff\xff\x7f")
	return []File{
		{"images.tif", tiff(ome + repeat(`<Image><Pixels SizeX="9" SizeY="9"/></Image>`, size))}, {"deep.tif", tiff(ome + repeat("<a>", size))},
		{"attributes.tif", tiff(ome + "<a " + repeat("a ", size) + ">")}, {"values.tif", tiff(ome + "<a b='" + repeat("x", size) + "'/>")},
		{"deep.lif", lif("<LMSDataContainerHeader>" + repeat("<Element>", size/2))}, {"attributes.lif", lif("<a " + numbered(" a%d=''", size/2) + "/>")}, {"offset.czi", czi},
	}
}
