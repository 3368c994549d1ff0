package operation

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// rejectedRequestsReturnProblems: every rejected request returns a problem, whose type clients can branch on.
func rejectedRequestsReturnProblems(t *testing.T, s system.System) {
	owner := system.NewOwner()
	pending := system.Reserve(t, s.Client(t, owner), "p.txt", "text/plain", "x")
	mine := map[string]string{"X-Owner-Id": owner}
	foreign := map[string]string{"X-Owner-Id": system.NewOwner()}
	asJSON := map[string]string{"Content-Type": "application/json"}
	unknown := "/v1/files/" + uuid.Must(uuid.NewV7()).String()
	file := "/v1/files/" + pending.FileID
	noFile, formType := system.Form(`form-data; name="other"; filename="a"`, "", "x")
	noName, _ := system.Form(`form-data; name="file"`, "", "x")
	longName, _ := system.Form(`form-data; name="file"; filename="`+strings.Repeat("n", 1025)+`"`, "", "x")
	longType, _ := system.Form(`form-data; name="file"; filename="a"`, "text/"+strings.Repeat("t", 9000), "x")
	asForm := map[string]string{"Content-Type": formType}

	for name, c := range map[string]struct {
		method, path string
		header       map[string]string
		body         string
		status       int
		slug, field  string
	}{
		"unknown path":                   {http.MethodGet, "/v1/nothing", nil, "", 404, "not-found", ""},
		"missing file":                   {http.MethodGet, unknown, nil, "", 404, "not-found", ""},
		"uploaded unknown":               {http.MethodPost, unknown + "/uploaded", nil, "", 404, "not-found", ""},
		"retry unknown":                  {http.MethodPost, unknown + "/retry", nil, "", 404, "not-found", ""},
		"content unknown":                {http.MethodGet, unknown + "/content", nil, "", 404, "not-found", ""},
		"missing content":                {http.MethodGet, file + "/content", nil, "", 404, "not-found", ""},
		"unsupported method of a file":   {http.MethodPatch, file, nil, "", 405, "method-not-allowed", ""},
		"unsupported method of the list": {http.MethodPost, "/v1/owners/" + owner + "/files", nil, "", 405, "method-not-allowed", ""},
		"uploaded before the upload":     {http.MethodPost, file + "/uploaded", mine, "", 409, "not-uploaded", ""},
		"uploaded by another owner":      {http.MethodPost, file + "/uploaded", foreign, "", 403, "other-owner", ""},
		"uploaded without an owner":      {http.MethodPost, file + "/uploaded", nil, "", 403, "other-owner", ""},
		"events without an owner":        {http.MethodGet, "/v1/events", nil, "", 400, "owner-required", ""},
		"retry of PENDING":               {http.MethodPost, file + "/retry", mine, "", 409, "not-failed", ""},
		"retry of another owner's file":  {http.MethodPost, file + "/retry", foreign, "", 403, "other-owner", ""},
		"delete of another owner's file": {http.MethodDelete, file, foreign, "", 403, "other-owner", ""},
		"delete without an owner":        {http.MethodDelete, file, nil, "", 403, "other-owner", ""},
		"too large":                      {http.MethodPost, "/v1/files", asJSON, `{"fileName":"a","size":5368709121}`, 413, "file-too-large", ""},
		// This body is only slightly larger than the limit, because a server that leaves much of a body unread resets the
		// connection, and the response can be lost.
		"body too large":           {http.MethodPost, "/v1/files", asJSON, `{"fileName":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "body-too-large", ""},
		"not JSON":                 {http.MethodPost, "/v1/files", asJSON, `{"fileName":`, 400, "bad-request", ""},
		"no body":                  {http.MethodPost, "/v1/files", asJSON, "", 400, "bad-request", ""},
		"other media type":         {http.MethodPost, "/v1/files", map[string]string{"Content-Type": "text/csv"}, "a,b", 415, "unsupported-media-type", ""},
		"no name":                  {http.MethodPost, "/v1/files", asJSON, `{"size":1}`, 422, "invalid-request", "body.fileName"},
		"empty name":               {http.MethodPost, "/v1/files", asJSON, `{"fileName":"","size":1}`, 422, "invalid-request", "body.fileName"},
		"long name":                {http.MethodPost, "/v1/files", asJSON, `{"fileName":"` + strings.Repeat("n", 1025) + `","size":1}`, 422, "invalid-request", "body.fileName"},
		"negative size":            {http.MethodPost, "/v1/files", asJSON, `{"fileName":"a","size":-1}`, 422, "invalid-request", "body.size"},
		"unknown field":            {http.MethodPost, "/v1/files", asJSON, `{"fileName":"a","size":1,"color":"red"}`, 422, "invalid-request", "body.color"},
		"bad digest":               {http.MethodPost, "/v1/files", asJSON, `{"fileName":"a","size":1,"sha256":"abc"}`, 422, "invalid-request", "body.sha256"},
		"header injection in type": {http.MethodPost, "/v1/files", asJSON, `{"fileName":"a","size":1,"contentType":"text/plain\r\nX: y"}`, 422, "invalid-request", "body.contentType"},
		"blank type":               {http.MethodPost, "/v1/files", asJSON, `{"fileName":"a","size":1,"contentType":" "}`, 422, "invalid-request", "body.contentType"},
		"compressed":               {http.MethodPost, "/v1/files", map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}, "\x1f\x8b", 415, "unsupported-content-encoding", ""},
		"bad owner":                {http.MethodPost, "/v1/files", map[string]string{"Content-Type": "application/json", "X-Owner-Id": "a b"}, `{"fileName":"a","size":1}`, 422, "invalid-request", "header.X-Owner-Id"},
		"bad id":                   {http.MethodGet, "/v1/files/not-a-uuid", nil, "", 422, "invalid-request", "path.id"},
		"bad wait":                 {http.MethodGet, file + "?wait=soon", nil, "", 422, "invalid-request", "query.wait"},
		"long wait":                {http.MethodGet, file + "?wait=61s", nil, "", 422, "invalid-request", "query.wait"},
		"bad limit":                {http.MethodGet, "/v1/owners/" + owner + "/files?limit=0", nil, "", 422, "invalid-request", "query.limit"},
		"bad status":               {http.MethodGet, "/v1/owners/" + owner + "/files?status=LOST", nil, "", 422, "invalid-request", "query.status"},
		"bad cursor":               {http.MethodGet, "/v1/owners/" + owner + "/files?cursor=abc", nil, "", 422, "invalid-request", "query.cursor"},
		"bad position":             {http.MethodGet, "/v1/events?owner=" + owner, map[string]string{"Last-Event-ID": "now"}, "", 422, "invalid-request", "header.Last-Event-ID"},
		"form without file":        {http.MethodPost, "/v1/files", asForm, noFile, 422, "invalid-request", "body.file"},
		"file without name":        {http.MethodPost, "/v1/files", asForm, noName, 422, "invalid-request", "body.file.filename"},
		"long file name":           {http.MethodPost, "/v1/files", asForm, longName, 422, "invalid-request", "body.file.filename"},
		"long file type":           {http.MethodPost, "/v1/files", asForm, longType, 422, "invalid-request", "body.file.contentType"},
		"truncated form":           {http.MethodPost, "/v1/files", asForm, noName[:20], 400, "bad-request", ""},
		"not a form":               {http.MethodPost, "/v1/files", map[string]string{"Content-Type": "multipart/form-data"}, noName, 400, "bad-request", ""},
		"delete from another site": {http.MethodDelete, file, map[string]string{"X-Owner-Id": owner, "Sec-Fetch-Site": "cross-site"}, "", 403, "cross-origin", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, body := s.Ask(t, c.method, c.path, c.header, c.body)
			p := system.Refused(t, resp, body, c.status, c.slug)
			var fields []string
			for _, wrong := range p.Errors {
				fields = append(fields, wrong.Field)
			}
			if c.field != "" && !slices.Contains(fields, c.field) {
				t.Errorf("the errors name %q, want %q: %s", fields, c.field, body)
			}
			if c.status == http.StatusMethodNotAllowed && resp.Header.Get("Allow") == "" {
				t.Error("the response has no Allow header, want one")
			}
		})
	}
}

// requestIDsAreKept: a valid request id of the client is used, every response has a request id, and outcomes have the
// request id and the trace of the upload.
func requestIDsAreKept(t *testing.T, s system.System) {
	for sent, want := range map[string]string{
		"mine-1":                   "mine-1",
		strings.Repeat("x", 128):   strings.Repeat("x", 128),
		strings.Repeat("x", 129):   "",
		"with space":               "",
		"":                         "",
		"{json}\"';<>&%0d%0a~!@#$": "{json}\"';<>&%0d%0a~!@#$",
	} {
		resp, _ := s.Ask(t, http.MethodGet, "/healthz", map[string]string{"X-Request-Id": sent}, "")
		got := resp.Header.Get("X-Request-Id")
		if want != "" && got != want || want == "" && (got == "" || got == sent) {
			t.Errorf("for X-Request-Id %q, the response has %q, want %q, or a new id if it is empty", sent, got, want)
		}
	}
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	ends := s.Listen(t, "assay.analysis.completed.textfile.*")
	content, contentType := system.Form(`form-data; name="file"; filename="traced.txt"`, "text/plain", "one two")
	resp, body := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{
		"Content-Type": contentType, "X-Request-Id": "traced", "Traceparent": "00-" + trace + "-00f067aa0ba902b7-01",
	}, content)
	if resp.StatusCode != http.StatusAccepted || resp.Header.Get("X-Owner-Id") == "" {
		t.Fatalf("the upload returned %d, owner %q, want 202 and a new owner: %s", resp.StatusCode, resp.Header.Get("X-Owner-Id"), body)
	}
	if got := resp.Header.Get("Traceparent"); !strings.HasPrefix(got, "00-"+trace+"-") {
		t.Errorf("the response has the traceparent %q, want trace id %s", got, trace)
	}
	var posted client.File
	system.Decode(t, body, &posted)
	msg := system.NextOf(t, ends, posted.FileID)
	if got := msg.Header.Get("assay-request-id"); got != "traced" {
		t.Errorf(`the outcome has the request id %q, want "traced"`, got)
	}
	if got := msg.Header.Get("traceparent"); !strings.HasPrefix(got, "00-"+trace+"-") {
		t.Errorf("the outcome has the traceparent %q, want trace id %s", got, trace)
	}
}
