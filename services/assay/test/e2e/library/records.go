package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// molecule returns an SDF record: ethanol with a name and the field logP.
func molecule(name string, logP float64) string {
	return name + "\n  test\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n" +
		"    0.0000    0.0000    0.0000 C   0  0\n    1.2990    0.7500    0.0000 C   0  0\n    2.5981    0.0000    0.0000 O   0  0\n" +
		"  1  2  1  0\n  2  3  1  0\nM  END\n>  <logP>\n" + fmt.Sprint(logP) + "\n\n$$$$\n"
}

// molecules returns an SDF of n records, with logP values starting at 0.
func molecules(n int) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(molecule(fmt.Sprintf("m%d", i), float64(i)))
	}
	return all.String()
}

// page requests records and returns the status, the page and the body.
func page(t *testing.T, s system.System, n client.Node, query string) (int, client.RecordPage, string) {
	t.Helper()
	resp, body := request(t, s, http.MethodGet, "/v1/library/files/"+n.ID+"/records?"+query, n.OwnedBy, "")
	var p client.RecordPage
	if resp.StatusCode == http.StatusOK {
		system.Decode(t, body, &p)
	}
	return resp.StatusCode, p, body
}

// recordsAreServed: records are returned in pages, filtered, and with the requested fields; errors state what to do.
func recordsAreServed(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n := file(t, c, "many.sdf", "", molecules(1_100))
	if n.SubType != "Chemical" || n.TotalRecords != 1_100 || len(n.Images) != 3 {
		t.Errorf("got %+v, want a chemical file with 1100 records and 3 images", n)
	}
	found := 0
	for r, err := range c.Records(system.Within(t), n.ID, client.RecordQuery{Filter: "logP >= 990", Fields: "formula,logp", Limit: 60}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"logP":"%d"}`, 990+found); r.Index != 990+found || string(r.Fields) != want || string(r.Properties) != `{"formula":"C2H6O"}` {
			t.Fatalf("got %+v, want record %d with %s", r, 990+found, want)
		}
		found++
	}
	if found != 110 {
		t.Errorf("the filter returned %d records, want 110", found)
	}
	r, err := c.Record(system.Within(t), n.ID, 1_099)
	if err != nil || r.Name != "m1099" || r.State != client.LibraryProcessed || !strings.Contains(string(r.Properties), `"weight":46.069`) {
		t.Errorf("got %+v, %v; want the processed record m1099 with its weight", r, err)
	}
	drawing := read(t)(c.RecordImage(system.Within(t), n.ID, 7))
	if !strings.HasPrefix(drawing, "<svg ") {
		t.Errorf("the drawing is %q, want SVG", drawing)
	}
	if content := read(t)(c.RecordContent(system.Within(t), n.ID, 7)); content != molecule("m7", 7) {
		t.Errorf("the content is %q, want %q", content, molecule("m7", 7))
	}
	for query, want := range map[string]string{
		"filter=logD<3":      `there is no field \"logD\"; did you mean \"logP\"?`,
		"fields=wieght":      `did you mean \"weight\"?`,
		"limit=201":          "query.limit",
		"cursor=nonsense":    "is not a cursor of this list",
		"filter=logP%20%3C":  "expected a value",
		"from=-1":            "query.from",
		"unknown=1":          "query.unknown",
		"filter=name%20%3C1": "",
	} {
		status, _, body := page(t, s, n, query)
		if want == "" && status != http.StatusOK || want != "" && (status != http.StatusUnprocessableEntity || !strings.Contains(body, want)) {
			t.Errorf("%s: %d %s, want 422 with %q, or 200 if it is empty", query, status, body, want)
		}
	}
	if _, p, _ := page(t, s, n, "from=1099"); len(p.Records) != 1 || p.NextCursor != "" || p.Total != 1_100 {
		t.Errorf("got %+v, want the last of 1100 records", p)
	}
	if _, err := c.Record(system.Within(t), n.ID, 1_100); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a record beyond the last returned %v, want 404", err)
	}
	text := file(t, c, "a.txt", "", "no records")
	if status, _, body := page(t, s, text, ""); status != http.StatusNotFound || !strings.Contains(body, "Files of type Text have no records.") {
		t.Errorf("records of a text: %d %s, want 404 with the reason", status, body)
	}
	reserved, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "b.sdf", Size: 5})
	if err != nil {
		t.Fatal(err)
	}
	if status, _, body := page(t, s, reserved.Node, ""); status != http.StatusConflict || !strings.Contains(body, "urn:assay:problem:not-processed") {
		t.Errorf("records of a file without content: %d %s, want 409 not-processed", status, body)
	}
}

// read returns a function that reads a stream and returns its text.
func read(t *testing.T) func(io.ReadCloser, error) string {
	t.Helper()
	return func(body io.ReadCloser, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(body)
		if err := errors.Join(err, body.Close()); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// recordsAreExported: rows are exported as text with their values as written, and molecules also in their own format,
// both with selected and renamed columns.
func recordsAreExported(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	table := file(t, c, "rows.csv", "", "name;mass;\"a,b\"\nwater;18.0;x\nsalt;58.5;\n\"\"\"gold\"\"\";197;y\n")
	sdf := file(t, c, "two.sdf", "", molecule("one", 1)+molecule("two", 2))
	for _, e := range []struct {
		of   client.Node
		what client.Export
		want string
	}{
		{table, client.Export{Format: "csv"}, "record,name,mass,\"a,b\"\r\n1,water,18.0,x\r\n2,salt,58.5,\r\n3,\"\"\"gold\"\"\",197,y\r\n"},
		{table, client.Export{Format: "csv", Fields: `mass,"a,b"`, Rename: "mass:Mass (u)", Filter: "mass > 18"}, "record,name,Mass (u),\"a,b\"\r\n2,,58.5,\r\n3,,197,y\r\n"},
		{table, client.Export{Format: "jsonl", Fields: "mass"}, `{"index":0,"values":{"mass":18.0}}` + "\n" + `{"index":1,"values":{"mass":58.5}}` + "\n" + `{"index":2,"values":{"mass":197}}` + "\n"},
		{sdf, client.Export{Format: "jsonl", Fields: "formula,logP", Rename: "logP:LogP", Filter: "logP=2"}, `{"index":1,"name":"two","values":{"formula":"C2H6O","LogP":2}}` + "\n"},
		{sdf, client.Export{Format: "sdf", Fields: "logP"}, molecule("one", 1) + molecule("two", 2)},
	} {
		if got := read(t)(c.ExportRecords(system.Within(t), e.of.ID, e.what)); got != e.want {
			t.Errorf("export %+v: %q, want %q", e.what, got, e.want)
		}
	}
	for _, e := range []struct {
		of   client.Node
		what client.Export
		want string
	}{
		{table, client.Export{Format: "sdf"}, "must be csv or jsonl"},
		{sdf, client.Export{Format: "cif"}, "must be csv, jsonl or sdf"},
		{sdf, client.Export{Format: "csv", Fields: "logD"}, `did you mean "logP"?`},
		{sdf, client.Export{Format: "csv", Rename: "logD:x"}, `did you mean "logP"?`},
		{sdf, client.Export{Format: "csv", Rename: "logP:weight"}, `two fields are named "weight"`},
		{sdf, client.Export{Format: "csv", Filter: "logP <"}, "expected a value"},
		{sdf, client.Export{Format: "csv", Formulas: "number"}, "must be text, or absent"},
	} {
		_, err := c.ExportRecords(system.Within(t), e.of.ID, e.what)
		p, _ := errors.AsType[*client.Problem](err)
		if p == nil || p.Status != http.StatusUnprocessableEntity || len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, e.want) {
			t.Errorf("export %+v returned %v, want 422 with one error %q", e.what, err, e.want)
		}
	}
	formulas := file(t, c, "formulas.csv", "", "=a,b\r\n=1+1,-2\r\n@x,-3.5e2\r\n")
	const lines = `{"index":0,"values":{"=a":"=1+1","b":-2}}` + "\n" + `{"index":1,"values":{"=a":"@x","b":-3.5e2}}` + "\n"
	for what, want := range map[client.Export]string{
		{Format: "csv"}:                     "record,name,=a,b\r\n1,,=1+1,-2\r\n2,,@x,-3.5e2\r\n",
		{Format: "csv", Formulas: "text"}:   "record,name,'=a,b\r\n1,,'=1+1,-2\r\n2,,'@x,-3.5e2\r\n",
		{Format: "jsonl", Formulas: "text"}: lines,
	} {
		if got := read(t)(c.ExportRecords(system.Within(t), formulas.ID, what)); got != want {
			t.Errorf("the export %+v of formulas: %q, want %q", what, got, want)
		}
	}
	for query, want := range map[string]string{"": "=a,b\r\n=1+1,-2\r\n", "?formulas=text": "'=a,b\r\n'=1+1,-2\r\n"} {
		resp, got := request(t, s, http.MethodGet, "/v1/library/files/"+formulas.ID+"/records/0/content"+query, formulas.OwnedBy, "")
		if resp.StatusCode != http.StatusOK || got != want {
			t.Errorf("a record with a formula%s: %d %q, want %q", query, resp.StatusCode, got, want)
		}
	}
	resp, _ := request(t, s, http.MethodGet, "/v1/library/files/"+table.ID+"/export?format=csv", table.OwnedBy, "")
	if resp.Header.Get("Content-Type") != "text/csv; charset=utf-8" || resp.Header.Get("Content-Disposition") != "attachment; filename=rows.csv" {
		t.Errorf("the export has the header %v, want CSV and the attachment rows.csv", resp.Header)
	}
}

// damagedRecordsFail: a file with a damaged record is processed partially: the other records are processed, and the file
// reports which record failed and why. A file without a valid record fails.
func damagedRecordsFail(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	const broken = "broken\n\n\n  9  9\n$$$$\n"
	n, err := upload(system.Within(t), c, "some.sdf", "", molecule("one", 1)+broken+molecule("two", 2))
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil || n.Status != client.LibraryProcessedPartially {
		t.Fatalf("got %+v, %v; want status %s", n, err, client.LibraryProcessedPartially)
	}
	w, err := c.Workflow(system.Within(t), n.ID)
	if err != nil || !strings.HasPrefix(w.FailureMessage, "1 of 3 records failed; the first, record 2: ") || w.Chunks == nil || w.Chunks.Done != 1 || len(w.Steps) != 4 {
		t.Errorf("got %+v, %v; want 4 steps, 1 chunk and the failure of record 2", w, err)
	}
	status, p, body := page(t, s, n, "filter=error")
	if status != http.StatusOK || p.Failed != 1 || len(p.Records) != 1 || p.Records[0].Index != 1 || p.Records[0].State != client.LibraryFailed || p.Records[0].Error == "" {
		t.Errorf("records with an error: %d %s, want the failed record with its reason", status, body)
	}
	if content := read(t)(c.RecordContent(system.Within(t), n.ID, 1)); content != broken {
		t.Errorf("the content is %q, want %q", content, broken)
	}
	if rows := read(t)(c.ExportRecords(system.Within(t), n.ID, client.Export{Format: "csv", Fields: "logP"})); rows != "record,name,logP\r\n1,one,1\r\n3,two,2\r\n" {
		t.Errorf("the export is %q, want the other records", rows)
	}
	for name, text := range map[string]string{"bad.cif": "data_x\n_cell_length_a 5\n'open\n", "bad.mol": broken} {
		n, err := upload(system.Within(t), c, name, "", text)
		if err == nil {
			n, err = c.WaitNode(system.Within(t), n.ID)
		}
		if err != nil || n.Status != client.LibraryFailed || !strings.HasPrefix(n.ErrorMessage, "no record can be read; the first error: ") || !strings.Contains(n.ErrorMessage, "line") {
			t.Errorf("%s: %+v, %v; want Failed with the line of the first error", name, n, err)
		}
	}
	file(t, c, "cell.cif", "", "data_cell\n_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\nloop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nNa 0 0 0\n")
	file(t, c, "curve.jdx", "", "##TITLE= curve\n##JCAMP-DX= 4.24\n##FIRSTX= 1\n##DELTAX= 1\n##XYDATA= (X++(Y..Y))\n1 5 6 7\n##END=\n")
}

// chunksAreRetried: a retry of the step of one chunk keeps the records of the other chunks.
func chunksAreRetried(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n := file(t, c, "many.sdf", "", molecules(1_010))
	fail := func(table, key, expression string, values map[string]types.AttributeValue) { // as if the step had failed
		t.Helper()
		_, err := s.Tables().UpdateItem(system.Within(t), &dynamodb.UpdateItemInput{
			TableName: &table, Key: map[string]types.AttributeValue{key: &types.AttributeValueMemberS{Value: n.ID}},
			UpdateExpression: aws.String(expression), ExpressionAttributeValues: values,
			ExpressionAttributeNames: map[string]string{"#s": map[bool]string{true: "currentState", false: "status"}[key == "correlationId"]},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	partly := &types.AttributeValueMemberS{Value: client.LibraryProcessedPartially}
	chunk := &types.AttributeValueMemberSS{Value: []string{"chunk/00001"}}
	fail("leanda-ng-dev-workflow-state", "correlationId", "SET #s = :p ADD stepsFailed :c DELETE stepsDone :c", map[string]types.AttributeValue{":p": partly, ":c": chunk})
	for _, table := range []string{"leanda-ng-dev-files", "leanda-ng-dev-nodes"} {
		fail(table, "id", "SET #s = :p", map[string]types.AttributeValue{":p": partly})
	}
	resp, body := request(t, s, http.MethodPost, "/v1/library/files/"+n.ID+"/workflow/steps/chunk%2F00001/retry", n.OwnedBy, "")
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("the retry returned %d %s, want 202", resp.StatusCode, body)
	}
	n, err := c.WaitNode(system.Within(t), n.ID)
	if err != nil || n.Status != client.LibraryProcessed || n.TotalRecords != 1_010 {
		t.Fatalf("got %+v, %v; want a processed file with 1010 records", n, err)
	}
	w, err := c.Workflow(system.Within(t), n.ID)
	if err != nil || w.Run != 2 || w.Chunks == nil || w.Chunks.Done != 2 {
		t.Errorf("got %+v, %v; want run 2 with 2 chunks done", w, err)
	}
	found := 0
	for _, err := range c.Records(system.Within(t), n.ID, client.RecordQuery{Filter: "logP >= 995"}) {
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	if found != 15 {
		t.Errorf("the filter returned %d records, want 15", found)
	}
}

// commandLineRecords: commands list records and export them to a file.
func commandLineRecords(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	file(t, c, "two.sdf", "", molecule("one", 1)+molecule("two", 2))
	run := func(status int, args ...string) string {
		t.Helper()
		p := system.Launch(t, "assay", []string{"ASSAY_SERVER=" + s.HTTP, "ASSAY_OWNER=" + owner}, append([]string{"library"}, args...)...)
		if got := p.End(t); got != status {
			t.Fatalf("assay library %v: exit status %d, want %d: %s", args, got, status, p.Output)
		}
		return p.Output.String()
	}
	if out := run(0, "records", "/two.sdf", "--filter", "logP>1", "--fields", "formula,logP"); out != "     2  two  formula=C2H6O  logP=2\n1 of 2 records match\n" {
		t.Errorf("records printed %q, want the record two and the number of matching records", out)
	}
	if out := run(0, "records", "/two.sdf", "--sort", "-logP", "--fields", "logP"); out != "     2  two  logP=2\n     1  one  logP=1\n" {
		t.Errorf("records --sort printed %q, want the records in descending order", out)
	}
	if out := run(0, "records", "/two.sdf", "--from", "2", "--fields", "logP"); out != "     2  two  logP=2\n" {
		t.Errorf("records --from printed %q, want the second record", out)
	}
	if out := run(0, "summary", "/two.sdf", "--fields", "logP,formula", "--group", "name"); out != "2 records\n"+
		"  logP  count=2  missing=0  distinct=2  min=1  max=2  mean=1.5  standardDeviation=0.707107\n  formula  count=2  missing=0  distinct=1  C2H6O: 2\n"+
		"name=one: 1 record\n  logP  count=1  missing=0  min=1  max=1  mean=1\n  formula  count=1  missing=0\n"+
		"name=two: 1 record\n  logP  count=1  missing=0  min=2  max=2  mean=2\n  formula  count=1  missing=0\n" {
		t.Errorf("summary printed %q, want the statistics of both records and of each", out)
	}
	var first client.LibraryRecord
	if err := json.Unmarshal([]byte(run(0, "records", "/two.sdf", "--limit", "1", "--json")), &first); err != nil || first.Name != "one" {
		t.Errorf("records --json printed %+v, %v; want the record one", first, err)
	}
	target := filepath.Join(t.TempDir(), "out.csv")
	run(0, "export", "/two.sdf", "--fields", "logP", "--rename", "logP:LogP", "-o", target)
	if text, err := os.ReadFile(target); err != nil || string(text) != "record,name,LogP\r\n1,one,1\r\n2,two,2\r\n" {
		t.Errorf("export wrote %q, %v; want two rows with the renamed column", text, err)
	}
	if out := run(0, "export", "/two.sdf", "--format", "csv", "--fields", "name,logP"); out != "record,name,logP\r\n1,one,1\r\n2,two,2\r\n" {
		t.Errorf("export of the name and a field printed %q, want the name once", out)
	}
	if out := run(2, "export", "/two.sdf"); !strings.Contains(out, "specify --format") {
		t.Errorf("export without a format printed %s, want specify --format", out)
	}
	if out := run(1, "records", "/two.sdf", "--filter", "logD<1"); !strings.Contains(out, "did you mean") {
		t.Errorf("records with an unknown field printed %s, want a suggestion", out)
	}
}
