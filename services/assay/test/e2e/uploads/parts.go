package uploads

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// partSize is the size of all parts except the last, for files of less than 156 GiB.
const partSize = 16 << 20

// inParts is a multipart upload of one area.
type inParts struct {
	system.System
	t      *testing.T
	file   string // path of the file
	owner  string
	text   string
	upload client.UploadRequest
}

// partsText returns a text of two parts, the last of which has 1,000 bytes.
func partsText() string { return strings.Repeat("fish ", partSize/5+400)[:partSize+1000] }

// reserveParts reserves a multipart upload of a text in an area.
func reserveParts(t *testing.T, s system.System, area, text string) inParts {
	t.Helper()
	owner := system.NewOwner()
	c := s.Client(t, owner)
	if area == "library" {
		n, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "parts.txt", Size: int64(len(text)), ContentType: "text/plain", Parts: true})
		if err != nil {
			t.Fatal(err)
		}
		return inParts{s, t, "/v1/library/files/" + n.ID, owner, text, n.Upload}
	}
	f, err := c.Reserve(system.Within(t), client.Reservation{FileName: "parts.txt", Size: int64(len(text)), ContentType: "text/plain", Parts: true})
	if err != nil {
		t.Fatal(err)
	}
	return inParts{s, t, "/v1/files/" + f.FileID, owner, text, f.Upload}
}

// part returns the bytes of a part and their checksum.
func (p inParts) part(number int) (content, sum string) {
	content = p.text[(number-1)*partSize : min(number*partSize, len(p.text))]
	return content, crcOf(content)
}

func crcOf(content string) string {
	sum := crc32.NewIEEE()
	_, _ = sum.Write([]byte(content)) // never fails
	return base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

func (p inParts) ask(method, path string, body any) (*http.Response, string) {
	p.t.Helper()
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		text = string(encoded)
	}
	return p.Ask(p.t, method, p.file+path, map[string]string{"X-Owner-Id": p.owner, "Content-Type": "application/json"}, text)
}

type signing struct {
	UploadID string   `json:"uploadId"`
	Numbers  []int    `json:"numbers"`
	CRC32    []string `json:"crc32"`
}

// sign returns the presigned request for a part.
func (p inParts) sign(number int) client.UploadRequest {
	p.t.Helper()
	_, sum := p.part(number)
	resp, body := p.ask(http.MethodPost, "/parts", signing{p.upload.UploadID, []int{number}, []string{sum}})
	var signed struct{ Parts []client.UploadRequest }
	if system.Decode(p.t, body, &signed); resp.StatusCode != http.StatusOK || len(signed.Parts) != 1 {
		p.t.Fatalf("signing part %d returned %s, want 200 and one request: %s", number, resp.Status, body)
	}
	return signed.Parts[0]
}

func (p inParts) send(number int) {
	p.t.Helper()
	content, _ := p.part(number)
	if status, body := system.Put(p.t, p.sign(number), content, nil); status != http.StatusOK {
		p.t.Fatalf("part %d: %d %s, want 200", number, status, body)
	}
}

// stored returns the numbers of the stored parts.
func (p inParts) stored() string {
	p.t.Helper()
	resp, body := p.ask(http.MethodGet, "/parts?uploadId="+url.QueryEscape(p.upload.UploadID), nil)
	var list struct{ Parts []client.StoredPart }
	if system.Decode(p.t, body, &list); resp.StatusCode != http.StatusOK {
		p.t.Fatalf("the list of parts returned %s, want 200: %s", resp.Status, body)
	}
	numbers := []int32{}
	for _, part := range list.Parts {
		numbers = append(numbers, part.Number)
		if content, sum := p.part(int(part.Number)); part.CRC32 != sum || part.Size != int64(len(content)) {
			p.t.Errorf("part %d is stored as %+v, want %d bytes with the checksum %s", part.Number, part, len(content), sum)
		}
	}
	return fmt.Sprint(numbers)
}

func (p inParts) report() (*http.Response, string) {
	p.t.Helper()
	return p.ask(http.MethodPost, "/uploaded", map[string]string{"uploadId": p.upload.UploadID})
}

// partsAreJoined: parts can be sent in any order and are listed; an `uploaded` call before all parts are stored names
// the missing parts, and a successful call can be repeated.
func partsAreJoined(t *testing.T, s system.System) {
	for _, area := range []string{"textfile", "library"} {
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			p := reserveParts(t, s, area, partsText())
			if p.upload.PartCount != 2 || p.upload.PartSize != partSize || p.upload.URL != "" || p.upload.UploadID == "" {
				t.Fatalf("the upload is %+v, want 2 parts of %d bytes and an id", p.upload, partSize)
			}
			if stored := p.stored(); stored != "[]" {
				t.Errorf("before the first part, the stored parts are %s, want []", stored)
			}
			p.send(2)
			if stored := p.stored(); stored != "[2]" {
				t.Errorf("the stored parts are %s, want [2]", stored)
			}
			resp, body := p.report()
			system.Refused(t, resp, body, http.StatusConflict, "parts-missing")
			if !strings.Contains(body, "size: 1. Send them") {
				t.Errorf("got problem %s, want one that names part 1", body)
			}
			p.send(1)
			p.send(1) // a part can be sent again
			for range 3 {
				if resp, body := p.report(); resp.StatusCode != http.StatusAccepted {
					t.Fatalf("uploaded returned %s, want 202: %s", resp.Status, body)
				}
			}
			p.awaitCount(area)
			for _, path := range []string{"/parts", "/uploaded"} {
				_, sum := p.part(1)
				resp, body := p.ask(http.MethodPost, path, signing{p.upload.UploadID, []int{1}, []string{sum}})
				if path == "/uploaded" {
					resp, body = p.report()
				}
				if path == "/uploaded" && resp.StatusCode != http.StatusAccepted {
					t.Errorf("a repeated uploaded call returned %s, want 202: %s", resp.Status, body)
				} else if path == "/parts" {
					system.Refused(t, resp, body, http.StatusConflict, "upload-not-open")
				}
			}
		})
	}
}

// awaitCount waits for the result of the file and checks it.
func (p inParts) awaitCount(area string) {
	p.t.Helper()
	c := p.Client(p.t, p.owner)
	id := p.file[strings.LastIndex(p.file, "/")+1:]
	if area == "textfile" {
		system.CheckResult(p.t, system.Await(p.t, c, id), system.Count(p.text))
		return
	}
	n, err := c.WaitNode(system.Within(p.t), id)
	if err != nil || n.Status != client.LibraryProcessed || *n.Length != int64(len(p.text)) {
		p.t.Fatalf("got %+v, %v; want a processed file of %d bytes", n, err, len(p.text))
	}
}

// wrongPartsAreRejected: part numbers, checksums and uploads that do not match the file are rejected, and the problem
// states what to do.
func wrongPartsAreRejected(t *testing.T, s system.System) {
	p := reserveParts(t, s, "textfile", partsText())
	other := reserveParts(t, s, "library", partsText())
	_, sum := p.part(1)
	for name, wrong := range map[string]struct {
		body   any
		status int
		slug   string
		says   string
	}{
		"number 0":       {signing{p.upload.UploadID, []int{0}, []string{sum}}, 422, "invalid-request", "the parts of this file are 1 to 2"},
		"number 3":       {signing{p.upload.UploadID, []int{3}, []string{sum}}, 422, "invalid-request", "the parts of this file are 1 to 2"},
		"twice":          {signing{p.upload.UploadID, []int{1, 1}, []string{sum, sum}}, 422, "invalid-request", "send each number once"},
		"no checksum":    {signing{p.upload.UploadID, []int{1}, nil}, 422, "invalid-request", "crc32"},
		"fewer sums":     {signing{p.upload.UploadID, []int{1, 2}, []string{sum}}, 422, "invalid-request", "send one for each"},
		"other checksum": {signing{p.upload.UploadID, []int{1}, []string{"!"}}, 422, "invalid-request", "4 bytes, big endian, in base64"},
		"other file":     {signing{other.upload.UploadID, []int{1}, []string{sum}}, 409, "upload-not-open", "reserve again"},
		"unknown upload": {signing{"6f1b7a3e-2222-4444-8888-000000000000", []int{1}, []string{sum}}, 409, "upload-not-open", "reserve again"},
		"a path":         {signing{"../" + p.upload.UploadID, []int{1}, []string{sum}}, 422, "invalid-request", "uploadId"},
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.t = t
			resp, body := p.ask(http.MethodPost, "/parts", wrong.body)
			system.Refused(t, resp, body, wrong.status, wrong.slug)
			if !strings.Contains(body, wrong.says) {
				t.Errorf("got problem %s, want one that contains %q", body, wrong.says)
			}
		})
	}
	resp, body := s.Ask(t, http.MethodGet, p.file+"/parts?uploadId="+p.upload.UploadID, map[string]string{"X-Owner-Id": system.NewOwner()}, "")
	system.Refused(t, resp, body, http.StatusForbidden, "other-owner")
	for reservation, says := range map[string]string{
		`{"fileName":"a","size":0,"parts":true}`:                                            "upload it in one request",
		`{"fileName":"a","size":1,"parts":true,"sha256":"` + strings.Repeat("0", 64) + `"}`: "omit it",
	} {
		resp, body := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{"Content-Type": "application/json"}, reservation)
		system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
		if !strings.Contains(body, says) {
			t.Errorf("reservation %s: got problem %s, want one that contains %q", reservation, body, says)
		}
	}
}

// partTermsHold: the bucket rejects a part whose bytes, length, number or upload differ from the signed request.
func partTermsHold(t *testing.T, s system.System) {
	p := reserveParts(t, s, "textfile", partsText())
	other := reserveParts(t, s, "textfile", partsText())
	right, _ := p.part(2)
	query := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			all := r.URL.Query()
			if all.Set(name, value); value == "" {
				all.Del(name)
			}
			r.URL.RawQuery = all.Encode()
		}
	}
	for name, breach := range map[string]struct {
		body   string
		change func(*http.Request)
	}{
		"longer":       {right + "x", nil},
		"shorter":      {right[1:], nil},
		"chunked":      {right, func(r *http.Request) { r.ContentLength = -1 }},
		"other bytes":  {strings.ToUpper(right), nil},
		"no checksum":  {strings.ToUpper(right), func(r *http.Request) { r.Header.Del("X-Amz-Checksum-Crc32") }},
		"another sum":  {strings.ToUpper(right), func(r *http.Request) { r.Header.Set("X-Amz-Checksum-Crc32", crcOf(strings.ToUpper(right))) }},
		"other number": {right, query("partNumber", "1")},
		"other upload": {right, query("uploadId", other.upload.UploadID)},
		"as an object": {right, func(r *http.Request) { query("uploadId", "")(r); query("partNumber", "")(r) }},
		"other object": {right, func(r *http.Request) { r.URL.Path += "x" }},
		"a copy":       {"", func(r *http.Request) { r.Header.Set("X-Amz-Copy-Source", "/assay-files/"+p.file) }},
		"completion":   {"", func(r *http.Request) { r.Method = http.MethodPost }},
		"a list":       {"", func(r *http.Request) { r.Method = http.MethodGet }},
		"an abort":     {"", func(r *http.Request) { r.Method = http.MethodDelete }},
		"no signature": {right, func(r *http.Request) { r.URL.RawQuery = "partNumber=2&uploadId=" + p.upload.UploadID }},
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.t = t
			if status, body := system.TryPut(t, p.sign(2), breach.body, breach.change); status/100 == 2 {
				t.Errorf("the bucket returned %d, want an error status: %s", status, body)
			}
			if stored := p.stored(); stored != "[]" {
				t.Errorf("the stored parts are %s, want []", stored)
			}
		})
	}
	if other.stored() != "[]" {
		t.Error("the other upload has stored parts, want none")
	}
}

// deletedUploadsEnd: deleting a file aborts its upload, after which the bucket rejects signed parts.
func deletedUploadsEnd(t *testing.T, s system.System) {
	for _, area := range []string{"textfile", "library"} {
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			p := reserveParts(t, s, area, partsText())
			p.send(2)
			to := p.sign(2)
			c, id := s.Client(t, p.owner), path.Base(p.file)
			remove := map[string]func(context.Context, string) error{"textfile": c.Delete, "library": c.EraseNode}[area]
			if err := remove(system.Within(t), id); err != nil {
				t.Fatal(err)
			}
			content, _ := p.part(2)
			system.Eventually(t, func() error { // a node is erased in the background
				if status, body := system.Put(t, to, content, nil); status != http.StatusNotFound || !strings.Contains(body, "NoSuchUpload") {
					return fmt.Errorf("a part of a deleted file: %d %s, want 404 NoSuchUpload", status, body)
				}
				return nil
			})
			resp, body := p.report()
			system.Refused(t, resp, body, http.StatusNotFound, "not-found")
		})
	}
}

// repeatedReservationsResume: a repeated reservation returns the same upload, or no upload once all bytes are stored.
func repeatedReservationsResume(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := partsText()
	reserve := func() client.Reserved {
		r, err := c.Reserve(system.Within(t), client.Reservation{FileName: "a.txt", Size: int64(len(text)), Parts: true, Key: "once"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, again := reserve(), reserve()
	if first.FileID != again.FileID || first.Upload.UploadID != again.Upload.UploadID || again.Upload.UploadID == "" {
		t.Fatalf("the reservations are %+v and %+v, want the same upload", first, again)
	}
	src := client.Source{Reservation: client.Reservation{FileName: "a.txt", Size: int64(len(text)), Parts: true, Key: "once"}, Content: strings.NewReader(text)}
	if _, err := c.Upload(system.Within(t), src); err != nil {
		t.Fatal(err)
	}
	if last := reserve(); last.FileID != first.FileID || last.Upload.UploadID != "" || last.Upload.PartCount != 2 {
		t.Errorf("the last reservation is %+v, want the same file without an open upload", last)
	}
	file, err := c.Upload(system.Within(t), src)
	if err != nil || file.FileID != first.FileID {
		t.Errorf("the repeated upload returned %+v, %v; want file %s", file, err, first.FileID)
	}
	system.CheckResult(t, system.Await(t, c, first.FileID), system.Count(text))
}
