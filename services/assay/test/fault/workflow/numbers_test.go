package workflow

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/decimal"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
)

// extremes are numbers that DynamoDB cannot store, the first five of which a float64 can represent.
var extremes = []string{"1e-180", "9.9e-131", "1e126", "1e300", "2.2e-308", "1e-400", "1e309"}

// patient is a lease that no worker exceeds.
const patient = 2 * time.Minute

// TestExtremeNumbers: a file with numbers that DynamoDB cannot store is Processed in every format. Its records keep the
// numbers as written, filters compare them, and the metadata state the smallest and the largest number.
func TestExtremeNumbers(t *testing.T) {
	w := start(t)
	w.lease = patient
	w.worker(nil)
	each := func(record string) string {
		var b strings.Builder
		for i, n := range extremes {
			x := n
			if i >= 5 {
				x = "1"
			}
			b.WriteString(strings.NewReplacer("{i}", fmt.Sprint(i), "{x}", x, "{y}", n).Replace(record))
		}
		return b.String()
	}
	cells := `<row r="1"><c r="A1" t="str"><v>q</v></c><c r="B1" t="str"><v>x</v></c><c r="C1" t="str"><v>y</v></c></row>` +
		each(`<row><c t="str"><v>q{i}</v></c><c><v>{x}</v></c><c><v>{y}</v></c></row>`)
	book := zipOf(t, [][2]string{
		{"[Content_Types].xml", `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="n"><sheets><sheet name="Hits" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<worksheet><sheetData>` + cells + `</sheetData></worksheet>`},
	})
	for name, c := range map[string]struct{ body, x, y string }{
		"hits.csv":  {"q,x,y\n" + each("q{i},{x},{y}\n"), "x", "y"},
		"hits.tsv":  {"q\tx\ty\n" + each("q{i}\t{x}\t{y}\n"), "x", "y"},
		"hits.xlsx": {book, "x", "y"},
		"hits.sdf":  {each(ethanol + ">  <x>\n{x}\n\n>  <y>\n{y}\n\n$$$$\n"), "x", "y"},
		"hits.rdf":  {"$RDFILE 1\n$DATM 01/01/26 12:00\n" + each("$RFMT\n$RXN\noxidation\n\n\n  1  0\n$MOL\n"+ethanol+"$DTYPE x\n$DATUM {x}\n$DTYPE y\n$DATUM {y}\n"), "x", "y"},
		"hits.cif":  {each("data_b{i}\n_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\n_my_x {x}\n_my_y {y}\n"), "_my_x", "_my_y"},
		"hits.jdx":  {each("##TITLE= curve\n##JCAMP-DX= 4.24\n##$X= {x}\n##$Y= {y}\n##FIRSTX= 1\n##DELTAX= 1\n##XYDATA= (X++(Y..Y))\n1 5 6 7\n##END=\n"), "$X", "$Y"},
	} {
		f := w.ended(w.add(name, "", c.body).ID)
		if f.Status != library.Processed {
			t.Errorf("%s: got %s, %s, want Processed", name, f.Status, f.ErrorMessage)
			continue
		}
		get := func(ctx context.Context, object string, offset, length int64) ([]byte, error) {
			return w.backends.Bucket.Part(ctx, library.ResultKey(f.ID, f.Run, object), offset, length)
		}
		document, err := get(t.Context(), records.OverviewName, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := records.ParseOverview(document)
		if err != nil {
			t.Fatal(err)
		}
		x, known := records.Find(c.x, o.Columns)
		y, known2 := records.Find(c.y, o.Columns)
		if !known || !known2 || x.Type != records.Number || x.Min != 2.2e-308 || x.Max != 1e300 || y.Min != nil || y.Max != nil {
			t.Errorf("%s: got columns %+v, want numbers from 2.2e-308 to 1e300, and no minimum beyond them", name, o.Columns)
		}
		for _, column := range f.Metadata["fields"].([]any) {
			if column := column.(map[string]any); column["name"] == x.Name && (column["min"] != 2.2e-308 || column["max"] != 1e300) {
				t.Errorf("%s: got %v in the metadata, want 2.2e-308 to 1e300", name, column)
			}
		}
		all := &records.File{Get: get, Total: o.Total(), Columns: o.Columns}
		for filter, want := range map[string][]string{
			"{y}<1e-100": {"1e-180", "9.9e-131", "2.2e-308", "1e-400"}, "{y}<1e-200": {"2.2e-308", "1e-400"}, "{y}>0": extremes,
			"{y}=1e-400": {"1e-400"}, "{y}=1e-401": nil, "{y}>1e308": {"1e309"}, "{x}>=1e126": {"1e126", "1e300"},
		} {
			parsed, err := records.ParseFilter(strings.NewReplacer("{x}", `"`+c.x+`"`, "{y}", `"`+c.y+`"`).Replace(filter), o.Columns)
			if err != nil {
				t.Fatal(err)
			}
			page, err := all.Page(t.Context(), records.Query{Filter: parsed})
			var got []string
			for _, r := range page.Records {
				got = append(got, r.Value(y))
			}
			same := slices.Equal(got, want)
			if strings.HasSuffix(name, ".xlsx") { // the spelling of a number in a cell is not kept
				same = slices.EqualFunc(got, want, sameNumber)
			}
			if err != nil || !same {
				t.Errorf("%s: %s selects %q, error %v, want %q", name, filter, got, err, want)
			}
		}
	}
}

func sameNumber(a, b string) bool {
	x, ok := decimal.Parse(a)
	y, okay := decimal.Parse(b)
	return ok && okay && x == y
}

// TestRejectedEnd: if the last write of a file is rejected, the file becomes Failed, with a reason that users can read and a dead
// letter that states the cause.
func TestRejectedEnd(t *testing.T) {
	for name, c := range map[string]struct {
		answer, want, cause string
		attempts            int
	}{
		"invalid":        {`{"__type":"com.amazon.coral.validate#ValidationException","message":"Number underflow"}`, "the result cannot be stored", "Number underflow", 12},
		"canceled":       {`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"canceled","CancellationReasons":[{"Code":"None"},{"Code":"ValidationError","Message":"Item size"}]}`, "the result cannot be stored", "ValidationError", 12},
		"another reason": {`{"__type":"com.amazon.coral.service#AccessDeniedException","message":"denied"}`, "the analysis did not succeed in 2 attempts", "denied", 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			w.lease, w.attempts = patient, c.attempts
			w.at.DynamoDB = rejecting(t, w.at.DynamoDB, `{"S":"Processed"}`, c.answer)
			w.worker(nil)
			for _, file := range [][2]string{{"rows.csv", "name;mass\nwater;18\n"}, {"note.txt", "Dear fox"}} {
				f := w.ended(w.add(file[0], "", file[1]).ID)
				if f.Status != library.Failed || !strings.HasPrefix(f.ErrorMessage, c.want) {
					t.Errorf("%s: got %s, %q, want Failed: %s", file[0], f.Status, f.ErrorMessage, c.want)
				}
			}
		})
	}
}

// rejecting starts a proxy of a DynamoDB engine that answers transactions containing a text with an error, and returns its
// URL.
func rejecting(t *testing.T, engine, text, answer string) string {
	t.Helper()
	to, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") && bytes.Contains(body, []byte(text)) {
			rw.Header().Set("Content-Type", "application/x-amz-json-1.0")
			rw.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(answer))), 10))
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(rw, answer)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
