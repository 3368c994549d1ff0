package mhtml_test

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/mhtml"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// message returns a message whose parts have the given headers and bodies, in pairs.
func message(header string, parts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"%s\r\n\r\nPreamble\r\n", "Subject: Saved\r\n", header)
	for i := 0; i < len(parts); i += 2 {
		fmt.Fprintf(&b, "--b\r\n%s\r\n\r\n%s\r\n", parts[i], parts[i+1])
	}
	return b.String() + "--b--\r\n"
}

const page = "<p>Grüße</p>"

func TestRead(t *testing.T) {
	inner := "--c\r\nContent-Type: text/plain\r\n\r\nno\r\n--c\r\nContent-Type: text/html\r\n\r\n" + page + "\r\n--c--"
	for name, archive := range map[string]string{
		"8bit":             message("", "Content-Type: text/html", page),
		"quoted-printable": message("", "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable", "<p>Gr=C3=BC=\r\n=C3=9Fe</p>"),
		"base64":           message("", "Content-Type: text/html\r\nContent-Transfer-Encoding: Base64", base64.StdEncoding.EncodeToString([]byte(page))),
		"after a picture":  message("", "Content-Type: image/png", "x", "Content-Type: text/html", page, "Content-Type: text/html", "frame"),
		"start":            message(`; start="<a@b>"`, "Content-Type: text/html", "frame", "Content-Type: text/html\r\nContent-ID: <a@b>", page),
		"missing start":    message(`; start="<c@d>"`, "Content-Type: text/html", page),
		"nested":           message("", `Content-Type: multipart/alternative; boundary="c"`, inner),
		"LF":               strings.ReplaceAll(message("", "Content-Type: text/html", page), "\r\n", "\n"),
		"without its end":  strings.TrimSuffix(message("", "Content-Type: text/html", page), "\r\n--b--\r\n"),
		"XHTML":            "\ufeff\r\n" + message("", "Content-Type: application/xhtml+xml", page),
	} {
		p, err := mhtml.Read(t.Context(), []byte(archive))
		if err != nil || p == nil || strings.TrimSpace(string(p.Data)) != page {
			t.Errorf("%s: got %+v, %v, want %s", name, p, err, page)
		}
		if !mhtml.Matches([]byte(archive)) {
			t.Errorf("%s: does not match", name)
		}
	}
}

func TestMatches(t *testing.T) {
	for name, head := range map[string]string{
		"HTML":    "<html><p>Content-Type: multipart/related\n\n",
		"mail":    "To: a@example.com\r\n" + message("", "Content-Type: text/html", page),
		"picture": message("", "Content-Type: image/png", "x"),
		"mixed":   strings.Replace(message("", "Content-Type: text/html", page), "related", "mixed", 1),
		"nothing": "", "no body": "Content-Type: multipart/related; type=\"text/html\"\r\n",
	} {
		if mhtml.Matches([]byte(head)) {
			t.Errorf("%s: matches", name)
		}
	}
	whole := message(`; type="text/html"`, "Content-Type: text/html", page)
	if head := whole[:strings.Index(whole, "Preamble")]; !mhtml.Matches([]byte(head)) {
		t.Errorf("%q does not match", head)
	}
	if p, err := mhtml.Read(t.Context(), []byte("<p>Subject: x\n\ny")); p != nil || err != nil {
		t.Errorf("got %+v, %v for a page in HTML, want nil", p, err)
	}
}

var mutations = flag.Int("mutations", 200, "number of damaged files")

// TestDamagedFiles checks that damaged archives return a page, nothing or ErrDamaged, and that a canceled read stops.
func TestDamagedFiles(t *testing.T) {
	archive := message(`; start="<a@b>"`, `Content-Type: multipart/related; boundary="c"`, "--c\r\n\r\nx\r\n--c--",
		"Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <a@b>", base64.StdEncoding.EncodeToString([]byte(strings.Repeat(page, 100))))
	recordstest.Mutate(t, *mutations, [][]byte{[]byte(archive)}, func(damaged []byte) {
		if _, err := mhtml.Read(t.Context(), damaged); err != nil && !errors.Is(err, mhtml.ErrDamaged) {
			t.Errorf("%q: got %v, want nil or ErrDamaged", damaged, err)
		}
		mhtml.Matches(damaged)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mhtml.Read(ctx, []byte(archive)); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}
