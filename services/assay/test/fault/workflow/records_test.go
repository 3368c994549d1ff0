package workflow

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

const (
	// ethanol is the molecule of an SDF record, without the data and the end of the record, such as logP.
	ethanol = "ethanol\n  test\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n" +
		"    0.0000    0.0000    0.0000 C   0  0\n    1.2990    0.7500    0.0000 C   0  0\n    2.5981    0.0000    0.0000 O   0  0\n" +
		"  1  2  1  0\n  2  3  1  0\nM  END\n"
	logP   = ">  <logP>\n-0.31\n\n$$$$\n"
	broken = "broken\n\n\n  9  9\n$$$$\n"
	cell   = "data_cell\n_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\nloop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nNa 0 0 0\n"
	curve  = "##TITLE= curve\n##JCAMP-DX= 4.24\n##FIRSTX= 1\n##DELTAX= 1\n##XYDATA= (X++(Y..Y))\n1 5 6 7\n##END=\n"
)

// molecules returns an SDF of n records, the last of which is damaged.
func molecules(n int) string { return strings.Repeat(ethanol+logP, n-1) + broken }

// TestRecords: files of records get typed fields, pictures and text; damaged records fail individually.
func TestRecords(t *testing.T) {
	w := start(t)
	w.worker(nil)
	for name, c := range map[string]struct {
		body            string
		kind            extract.Type
		status, message string
		total           int64
		images          int
		text            string
	}{
		"rows.csv":    {"name;mass\nwater;18\nsalt;58.5\n", "Table", "Processed", "", 2, 0, "water\n18\nsalt\n58.5\n"},
		"empty.csv":   {"name,mass\n", "Table", "Failed", "parse: the table has no rows", 0, 0, ""},
		"two.sdf":     {ethanol + logP + ethanol + logP, "Chemical", "Processed", "", 2, 3, "ethanol\nC2H6O\n-0.31\n"},
		"many.sdf":    {molecules(4), "Chemical", "ProcessedPartially", "1 of 4 records failed; the first, record 4: ", 4, 3, ""},
		"nothing.mol": {broken, "Chemical", "Failed", "no record can be read; the first error: ", 1, 0, ""},
		"one.rxn":     {"$RXN\noxidation\n\n\n  1  0\n$MOL\n" + ethanol, "Reaction", "Processed", "", 1, 3, ""},
		"cell.cif":    {cell, "Crystal", "Processed", "", 1, 3, ""},
		"curve.jdx":   {curve, "Spectrum", "Processed", "", 1, 3, ""},
	} {
		f := w.ended(w.add(name, "", c.body).ID)
		flow, err := w.Workflow(t.Context(), f.ID)
		n, missing := w.Get(t.Context(), f.ID)
		if err := errors.Join(err, missing); err != nil || f.Type != c.kind || string(f.Status) != c.status || n.TotalRecords != c.total || len(f.Images) != c.images {
			t.Errorf("%s: got %+v, workflow %+v, %v, want a %s file that is %s with %d records and %d images", name, f, flow, err, c.kind, c.status, c.total, c.images)
			continue
		}
		if !strings.HasPrefix(flow.FailureMessage, c.message) || c.message == "" && flow.FailureMessage != "" {
			t.Errorf("%s: failure message = %q, want the prefix %q", name, flow.FailureMessage, c.message)
		}
		if c.text != "" {
			if got := w.text(flow.StepResults[extract.StepText].Key); got != c.text {
				t.Errorf("%s: text = %q, want %q", name, got, c.text)
			}
		}
		if c.total > 0 && (!flow.ParseCompleted || !flow.RecordProcessingCompleted) {
			t.Errorf("%s: workflow = %+v, want parsing and record processing completed", name, flow)
		}
		if name == "many.sdf" {
			w.described(f)
		}
	}
}

// described checks the overview, columns and metadata of many.sdf.
func (w *world) described(f library.File) {
	w.t.Helper()
	document, err := w.backends.Bucket.Part(w.t.Context(), library.ResultKey(f.ID, f.Run, records.OverviewName), 0, -1)
	if err != nil {
		w.t.Fatal(err)
	}
	o, err := records.ParseOverview(document)
	if err != nil || o.Format != "sdf" || o.Processed != 3 || o.Failed != 1 || len(o.Failures) != 1 || o.Failures[0].Index != 3 {
		w.t.Errorf("overview = %+v, %v, want 3 processed records and the failed record 3", o, err)
	}
	found, ok := records.Find("logP", o.Columns)
	if !ok || found.Type != records.Number || found.Count != 3 || found.Min != -0.31 {
		w.t.Errorf("column logP = %+v, want 3 numbers of at least -0.31", found)
	}
	fields, ok := f.Metadata["fields"].([]any)
	if !ok || len(fields) != len(o.Columns) {
		w.t.Errorf("metadata = %+v, want %d fields", f.Metadata, len(o.Columns))
	}
}

// TestWorkbook: the rows of a workbook become records; other office documents have none.
func TestWorkbook(t *testing.T) {
	w := start(t)
	w.worker(nil)
	book := zipOf(t, [][2]string{
		{"[Content_Types].xml", `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="n"><sheets><sheet name="Salts" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>mass</v></c></row>` +
			`<row r="2"><c r="A2" t="str"><v>salt</v></c><c r="B2"><v>58.5</v></c></row></sheetData></worksheet>`},
	})
	for name, c := range map[string]struct {
		body  string
		total int64
	}{"salts.xlsx": {book, 1}, "letter.docx": {wordDocument(t, "Dear fox"), 0}} {
		f := w.ended(w.add(name, "", c.body).ID)
		n, err := w.Get(t.Context(), f.ID)
		if err != nil || f.Type != "Office" || f.Status != library.Processed || n.TotalRecords != c.total {
			t.Errorf("%s: got %+v, node %+v, %v, want a Processed document with %d records", name, f, n, err, c.total)
		}
	}
}

// TestFailedChunk: if a chunk cannot be processed, each of its records fails with the same reason.
func TestFailedChunk(t *testing.T) {
	w := start(t)
	body := molecules(1_030)
	f := w.reserve("many.sdf", "", len(body))
	o := w.worker(func(c wire.Call, m wire.Moment) bool { // crashes when the steps of both chunks are open
		if c.Engine != "nats" || m != wire.Before || !strings.HasPrefix(c.Name, "publish") {
			return false
		}
		flow, err := w.Workflow(t.Context(), f.ID)
		return err == nil && slices.Contains(flow.StepsOpen, library.ChunkStep(1))
	})
	w.upload(f, body)
	<-o.wire.Done()
	o.kill()
	if _, err := w.FinishStep(t.Context(), f.ID, 1, library.ChunkStep(1), plan.Failed, plan.Result{Reason: "the step takes too long"}, nil); err != nil {
		t.Fatal(err)
	}
	w.worker(nil)
	f = w.ended(f.ID)
	flow, err := w.Workflow(t.Context(), f.ID)
	want := "chunk/00001: the step takes too long; 30 of 1030 records failed; the first, record 1001: the step takes too long"
	if err != nil || f.Status != library.ProcessedPartially || flow.FailureMessage != want {
		t.Errorf("got %s with message %q, %v, want ProcessedPartially with %q", f.Status, flow.FailureMessage, err, want)
	}
	if n := w.failures(f); n != 30 {
		t.Errorf("%d failures are listed, want 30", n)
	}
	w.erase(f.ID)
	w.until("the erasure", func() error { return w.nothing(f.ID) })
}

// failures returns the number of lines in the object with the failures of a file.
func (w *world) failures(f library.File) (lines int) {
	w.t.Helper()
	document, err := w.backends.Bucket.Part(w.t.Context(), library.ResultKey(f.ID, f.Run, records.FailuresName), 0, -1)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(document))
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		w.t.Fatalf("read the failures: %v", err)
	}
	return bytes.Count(text, []byte("\n"))
}

// TestMoreRecords: if a file has more records than the limit, only the first ones are processed. The limit of rows of a table is
// tested in package records.
func TestMoreRecords(t *testing.T) {
	w := start(t)
	w.worker(nil)
	f := w.ended(w.add("long.cif", "", strings.Repeat("data_b\n_x 7\n", records.MaxRecords+1)).ID)
	flow, err := w.Workflow(t.Context(), f.ID)
	if err != nil || f.Status != library.ProcessedPartially || flow.FailureMessage != "parse: the file has 100001 records; the first 100000 are processed" {
		t.Errorf("got %+v with message %q, %v, want ProcessedPartially and the limit of records", f, flow.FailureMessage, err)
	}
	if counts, ok := f.Metadata["records"].(map[string]any); !ok || counts["found"] != 100_001.0 || counts["processed"] != 100_000.0 {
		t.Errorf("metadata = %+v, want 100001 found and 100000 processed records", f.Metadata)
	}
}

// TestMicroscopy: the metadata includes the image properties from the header of a microscopy
// file, or the reason why the header cannot be read.
func TestMicroscopy(t *testing.T) {
	w := start(t)
	w.worker(nil)
	units := utf16.Encode([]rune(`<LMSDataContainerHeader><Element Name="Series001"><Data><Image><ImageDescription><Dimensions>` +
		`<DimensionDescription DimID="1" NumberOfElements="101"/></Dimensions></ImageDescription></Image></Data></Element></LMSDataContainerHeader>`))
	order := binary.LittleEndian
	head := append(order.AppendUint32(order.AppendUint32(nil, 0x70), uint32(5+2*len(units))), 0x2a)
	head = order.AppendUint32(head, uint32(len(units)))
	for _, u := range units {
		head = order.AppendUint16(head, u)
	}
	for name, c := range map[string]struct{ body, reason string }{"a.lif": {string(head), ""}, "cut.lif": {string(head[:40]), "the header is damaged"}} {
		f := w.ended(w.add(name, "", c.body).ID)
		header, _ := f.Metadata["microscopy"].(map[string]any)
		images, _ := header["images"].([]any)
		reason, _ := f.Metadata["unreadableHeader"].(string)
		if f.Type != "Microscopy" || f.Status != library.Processed || (len(images) == 1) != (c.reason == "") || reason != c.reason {
			t.Errorf("%s: got %+v, want a Processed microscopy file with the header error %q", name, f, c.reason)
		}
	}
}
