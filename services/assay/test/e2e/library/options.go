package library

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// stated uploads a file with options, or with none if they are empty, and waits for its end.
func stated(t *testing.T, c *client.Client, name, text string, o client.ReadOptions) client.Node {
	t.Helper()
	n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: int64(len(text)), Options: o},
		client.Source{Content: strings.NewReader(text)})
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// again processes a file again with a call such as reprocess, and waits for its end.
func again(t *testing.T, s system.System, n client.Node, verb, body string) client.Node {
	t.Helper()
	resp, text := request(t, s, http.MethodPost, "/v1/library/files/"+n.ID+"/"+verb, n.OwnedBy, body)
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("%s %s: %d %s, want 202", verb, body, resp.StatusCode, text)
	}
	n, err := s.Client(t, n.OwnedBy).WaitNode(system.Within(t), n.ID)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tablesAreReadAsStated: an upload, with or without a form, and a call that processes a file again state how a table is
// read. The options stay until another call changes them.
func tablesAreReadAsStated(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	first := func(n client.Node) string {
		t.Helper()
		_, p, body := page(t, s, n, "limit=1")
		if len(p.Records) != 1 {
			t.Fatalf("records of %s: %s, want one", n.Name, body)
		}
		return string(p.Records[0].Fields)
	}
	want := func(n client.Node, fields string) {
		t.Helper()
		if got := first(n); n.Status != client.LibraryProcessed || got != fields {
			t.Errorf("%s is %s with the record %s, want %s", n.Name, n.Status, got, fields)
		}
	}
	const text, comma, semicolon = "a;b,c\nx;y,z\nx;y,z\n", `{"a;b":"x;y","c":"z"}`, `{"a":"x","b,c":"y,z"}`
	n := stated(t, c, "a.csv", text, client.ReadOptions{Delimiter: ","})
	want(n, comma)
	want(again(t, s, n, "reprocess", ""), comma)
	want(again(t, s, n, "reprocess", `{"options":{"delimiter":";"}}`), semicolon)
	want(again(t, s, n, "reprocess", `{}`), semicolon)
	want(again(t, s, n, "reprocess", `{"options":{}}`), first(stated(t, c, "b.csv", text, client.ReadOptions{})))
	partly := stated(t, c, "c.csv", "a,b\nx,y\nx,y,z\n", client.ReadOptions{})
	if partly.Status != client.LibraryProcessedPartially {
		t.Errorf("a row with too many cells: %s, want %s", partly.Status, client.LibraryProcessedPartially)
	}
	want(again(t, s, partly, "retry", `{"options":{"delimiter":";"}}`), `{"a,b":"x,y"}`)
	const koi = "name\n\xcd\xc9\xd2\n" // мир
	want(stated(t, c, "koi.csv", koi, client.ReadOptions{Charset: "KOI8-R"}), `{"name":"мир"}`)
	want(again(t, s, stated(t, c, "ansi.csv", koi, client.ReadOptions{Charset: "cp1251"}), "reprocess", `{"options":{"charset":"koi8-r"}}`), `{"name":"мир"}`)

	form := func(delimiter string) (int, string) {
		resp, body := s.Ask(t, http.MethodPost, "/v1/library/files", map[string]string{"X-Owner-Id": owner, "Content-Type": "multipart/form-data; boundary=b"},
			"--b\r\nContent-Disposition: form-data; name=\"delimiter\"\r\n\r\n"+delimiter+
				"\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"form.csv\"\r\n\r\na;b\tc\nx;y\tz\n\r\n--b--\r\n")
		return resp.StatusCode, body
	}
	status, body := form("tab")
	if status != http.StatusAccepted {
		t.Fatalf("a form with a delimiter: %d %s, want 202", status, body)
	}
	system.Decode(t, body, &n)
	n, err := c.WaitNode(system.Within(t), n.ID)
	if err != nil {
		t.Fatal(err)
	}
	want(n, comma)
	if status, body := form(":"); status != http.StatusUnprocessableEntity || !strings.Contains(body, `"body.delimiter"`) {
		t.Errorf("a form with an unknown delimiter: %d %s, want 422 that names the field", status, body)
	}
}

// previewsReadDifferently: the first rows of a table are returned as other options read them, and the file stays as it is, also
// if it Failed. A file that is not a table is refused with the reason.
func previewsReadDifferently(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n := stated(t, c, "a.csv", "a;b,c\n"+strings.Repeat("x;y,z"+strings.Repeat(" long", 200)+"\n", 300), client.ReadOptions{Delimiter: ","})
	preview := func(n client.Node, query string) (p struct {
		Columns            []string
		Rows               []struct{ Cells []string }
		Charset, Delimiter string
		Options            client.ReadOptions
	}) {
		t.Helper()
		resp, body := request(t, s, http.MethodGet, "/v1/library/files/"+n.ID+"/preview?"+query, n.OwnedBy, "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a preview of %s with %s: %d %s, want 200", n.Name, query, resp.StatusCode, body)
		}
		system.Decode(t, body, &p)
		return p
	}
	p := preview(n, "delimiter=%3B")
	if !slices.Equal(p.Columns, []string{"a", "b,c"}) || len(p.Rows) != 20 || !slices.Equal(p.Rows[19].Cells, []string{"x", "y,z" + strings.Repeat(" long", 200)}) ||
		p.Charset != "utf-8" || p.Delimiter != ";" || p.Options != (client.ReadOptions{Delimiter: ","}) {
		t.Errorf("got %+v, want 20 rows of a and b,c, and the present options", p)
	}
	if after, err := c.Node(system.Within(t), n.ID, client.Reading{}); err != nil || after.Version != n.Version {
		t.Errorf("got %+v, %v after a preview, want version %d", after, err, n.Version)
	}
	failed := stated(t, c, "b.csv", "\"a\nb\n", client.ReadOptions{Charset: "koi8-r"})
	if failed.Status != client.LibraryFailed {
		t.Errorf("%s is %s, want %s", failed.Name, failed.Status, client.LibraryFailed)
	}
	for _, refused := range []struct{ id, query, want string }{
		{failed.ID, "", "urn:assay:problem:not-a-table"},
		{stated(t, c, "c.pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", client.ReadOptions{}).ID, "", "a PDF document"},
		{n.ID, "header=maybe", `"query.header"`},
		{n.ID, "quote=x", `"query.quote"`},
	} {
		resp, body := request(t, s, http.MethodGet, "/v1/library/files/"+refused.id+"/preview?"+refused.query, n.OwnedBy, "")
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, refused.want) {
			t.Errorf("a preview with %q: %d %s, want 422 with %s", refused.query, resp.StatusCode, body, refused.want)
		}
	}
}

// unknownOptionsAreRejected: calls with an option or a value that does not exist are rejected, and the response names it. With
// an idempotency key, other options are another request.
func unknownOptionsAreRejected(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	n := stated(t, c, "a.csv", "a,b\nx,y\n", client.ReadOptions{})
	for _, call := range []struct{ path, body, want string }{
		{"", `{"name":"a.csv","size":1,"options":{"header":"maybe"}}`, `"body.options.header"`},
		{"", `{"name":"a.csv","size":1,"options":{"charset":"klingon"}}`, `"body.options.charset"`},
		{"", `{"name":"a.csv","size":1,"options":{"quote":"'"}}`, `"body.options.quote"`},
		{"/" + n.ID + "/reprocess", `{"options":{"decimal":"x"}}`, `"body.options.decimal"`},
		{"/" + n.ID + "/reprocess", `{"option":{}}`, `"body.option"`},
		{"/" + n.ID + "/retry", `{"options":{"delimiter":"::"}}`, `"body.options.delimiter"`},
	} {
		resp, body := request(t, s, http.MethodPost, "/v1/library/files"+call.path, owner, call.body)
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, call.want) {
			t.Errorf("%s %s: %d %s, want 422 with %s", call.path, call.body, resp.StatusCode, body, call.want)
		}
	}
	reserve := func(delimiter string) error {
		_, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "b.csv", Size: 5, Key: "k", Options: client.ReadOptions{Delimiter: delimiter}})
		return err
	}
	for _, same := range []string{"tab", "\t"} {
		if err := reserve(same); err != nil {
			t.Errorf("a repeated call with the delimiter %q returned %v, want the same file", same, err)
		}
	}
	for _, other := range []string{"", ";"} {
		if err := reserve(other); !system.IsProblem(err, http.StatusUnprocessableEntity) {
			t.Errorf("a repeated call with the delimiter %q returned %v, want 422", other, err)
		}
	}
}
