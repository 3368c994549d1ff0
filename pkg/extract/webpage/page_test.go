package webpage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/assay-project/assay/pkg/extract/webpage"
)

var address = &url.URL{Scheme: "https", Host: "example.com", Path: "/news/foxes.html"}

func read(t testing.TB, source, contentType string) *webpage.Page {
	t.Helper()
	p, err := webpage.Read(t.Context(), []byte(source), contentType, address, webpage.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func article(extra string) string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><title>Foxes return | The Daily</title>
<meta property="og:title" content="Foxes return"><meta property="og:image" content="/pictures/fox.jpg"><meta property="og:site_name" content="The Daily">
<meta name="author" content="Ada Fuchs"><meta property="article:published_time" content="2026-11-22T10:30:00Z">
<script>var secret = "script text"</script><style>p{color:red}</style></head>
<body><nav><ul><li><a href="/">Home page of us</a></li><li><a href="/ads">Buy now</a></li></ul></nav><article><h1>Foxes return</h1>`)
	for i := range 12 {
		fmt.Fprintf(&b, "<p>Paragraph %d says that the quick brown fox, which nobody had seen for years, jumps over the lazy dog again, and again.</p>\n", i)
	}
	b.WriteString(extra + `</article><footer>Imprint and cookies</footer></body></html>`)
	return b.String()
}

func TestArticle(t *testing.T) {
	p := read(t, article(`<p>See <a href="more.html">more</a> of it.</p>`), "text/html")
	if p.Title != "Foxes return" || p.Byline != "Ada Fuchs" || p.Site != "The Daily" || p.Language != "en" || p.Image != "https://example.com/pictures/fox.jpg" ||
		!p.Published.Equal(time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC)) || !p.Article {
		t.Errorf("got %+v, want title Foxes return, byline Ada Fuchs, site The Daily, language en, the picture, the publication time and an article", p)
	}
	for _, want := range []string{"Paragraph 0 says", "Paragraph 11 says", "See more of it.", "Buy now", "Imprint and cookies"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("got text %q, want it to contain %q", p.Text, want)
		}
	}
	if !strings.Contains(p.HTML, "Paragraph 11 says") || strings.Contains(p.HTML, "Buy now") || strings.Contains(p.HTML, "Imprint") {
		t.Errorf("got HTML %q, want the article without the menu and the footer", p.HTML)
	}
	for _, not := range []string{"script text", "color:red"} {
		if strings.Contains(p.Text+p.HTML, not) {
			t.Errorf("got text %q, HTML %q, want neither to contain %q", p.Text, p.HTML, not)
		}
	}
	if want := `<a href="https://example.com/news/more.html" rel="noopener noreferrer nofollow">more</a>`; !strings.Contains(p.HTML, want) {
		t.Errorf("got HTML %s, want it to contain %s", p.HTML, want)
	}
}

func TestPageWithoutArticle(t *testing.T) {
	p := read(t, `<title>Short</title><p>One line</p><table><tr><td>a<td>b</table><pre>x
  y</pre>`, "text/html")
	if want := "One line\na\tb\nx\n  y"; p.Text != want || p.Title != "Short" {
		t.Errorf("got title %q, text %q, want Short and %q", p.Title, p.Text, want)
	}
	if p := read(t, "", "text/html"); p.Text != "" {
		t.Errorf("got %+v, want no text", p)
	}
}

// TestActiveContentIsRemoved checks that the article contains no active content of the page.
func TestActiveContentIsRemoved(t *testing.T) {
	for _, hostile := range []string{
		`<script>alert(1)</script>`, `<p onclick="alert(1)">x</p>`, `<a href="javascript:alert(1)">x</a>`, `<a href=" JaVaScRiPt:alert(1)">x</a>`,
		`<a href="data:text/html,<script>alert(1)</script>">x</a>`, `<img src=x onerror=alert(1)>`, `<svg><script>alert(1)</script></svg>`,
		`<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>`, `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
		`<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>`, `<style>@import "https://example.org/x.css"</style>`,
		`<form action="https://example.org"><input name="password"></form>`, `<p style="background:url(https://example.org/x.png)">x</p>`,
		`<base href="https://example.org/">`, `<meta http-equiv="refresh" content="0;url=https://example.org">`, `<xmp><script>alert(1)</script></xmp>`,
		`<template><script>alert(1)</script></template>`, `<object data="x.swf"></object>`, `<video src="https://example.org/v.mp4"></video>`,
	} {
		for _, source := range []string{hostile, article(hostile)} {
			check(t, hostile, read(t, source, "text/html").HTML)
		}
	}
}

// check reports an error if the HTML contains elements other than text and links.
func check(t testing.TB, source, out string) {
	t.Helper()
	document, err := html.Parse(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	metas := 0
	for n := range document.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "meta": // added by Read
			metas++
		case "script", "style", "img", "iframe", "svg", "math", "form", "input", "base", "object", "video", "template", "noscript", "link":
			t.Errorf("got <%s> in the article of %q, want no active content", n.Data, source)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "http") && !strings.HasPrefix(a.Val, "mailto:") {
				t.Errorf("got %s=%q in the article of %q, want no active content", a.Key, a.Val, source)
			}
		}
	}
	if metas != 2 {
		t.Errorf("got %d meta elements in the article of %q, want 2", metas, source)
	}
}

func TestBounds(t *testing.T) {
	p, err := webpage.Read(t.Context(), []byte("<p>"+strings.Repeat("ä", 100)), "text/html", nil, webpage.Limits{Text: 9})
	if err != nil || p.Text != "ää\u00e4ä" || p.Cut == "" {
		t.Errorf("got %+v, %v, want 4 characters and the reason", p, err)
	}
	for name, source := range map[string]string{
		"deep": strings.Repeat("<div>", 100_000), "wide": strings.Repeat("<p>x", 100_000), "attributes": "<p " + strings.Repeat("a=b ", 100_000) + ">",
		"tables": strings.Repeat("<table><tr><td>", 10_000), "formatting": strings.Repeat("<b><i><a href=x>", 2000),
	} {
		if _, err := webpage.Read(t.Context(), []byte(source), "text/html", address, webpage.Limits{}); err != nil && !errors.Is(err, webpage.ErrDamaged) {
			t.Errorf("%s: got %v, want nil or ErrDamaged", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := webpage.Read(ctx, []byte("<p>x"), "text/html", nil, webpage.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(article("<p>x")), "text/html")
	f.Add([]byte(`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`), "text/html; charset=utf-16")
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		p, err := webpage.Read(t.Context(), data, contentType, address, webpage.Limits{Text: 1000})
		switch {
		case err != nil && !errors.Is(err, webpage.ErrDamaged):
			t.Error(err)
		case err == nil && len(p.Text) > 1000:
			t.Errorf("got %d bytes of text, want at most 1000", len(p.Text))
		case err == nil:
			check(t, string(bytes.ToValidUTF8(data, nil)), p.HTML)
		}
	})
}
