package webpage

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/assay-project/assay/pkg/extract/pixels/peak"
)

func tree(t testing.TB, source string) *html.Node {
	t.Helper()
	document, _, err := parse(t.Context(), strings.NewReader(source), maxTree)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func textOf(document *html.Node) string {
	text, _ := plain(document, 64<<20)
	return text
}

// TestTextIsThatOfTheStandardTree compares with html.Parse, which implements the HTML standard.
func TestTextIsThatOfTheStandardTree(t *testing.T) {
	for _, source := range []string{
		"", "text", "<p>a<p>b</p>c", "<ul><li>a<li>b<ul><li>c</ul>d</ul>e", "<dl><dt>a<dd>b<dt>c</dl>", "a<br>b</br>c",
		"<table><tr><td>a<td>b<tr><th>c<td><table><td>d</table>e</table>f", "<table><caption>a</caption><tbody><tr><td>b<tfoot><tr><td>c</table>",
		"<table><tr><td>a</div></p></ul>b</table>", "<tr><td>a</tr>b", "<td>a<div>b</td>c", "<table><tr><td><p>a</table>b<p>c",
		"<b><p>a</b>b</p>c", "<p><b>a</p>b</b>c", "<a href=x><div>a</a>b</div>c", "<b><i><u>a</b>b</i>c</u>d", "<div><b>a<p>b</b>c</div>d", "<a>b<a>c</a>d",
		"<h1>a<h2>b</h1>c", "<div>a<span>b</div>c</span>d", "</p>a</span>b</div>", "<button>a<button>b</button>c", "<select><option>a<option>b</select>c",
		"<pre>a\n  b</pre>c", "<ruby>a<rt>b<rp>c</ruby>d", "<address>a<p>b</address>c", "<form>a<p>b</form>c", "<blockquote>a<blockquote>b</blockquote>c</blockquote>",
		"a<!-- b <p> -->c<!doctype html>d<?xml e?>f</>g", "a < b > c &amp; d &lt;p&gt;", "<p a=\"<b>\" b='>'>c", "<!-- a", "a<b", "<title>a<b>c</title>d<title>e</title>",
		"<script>a<b></script>c<style>d</style>e<textarea>f<p></textarea>g", "<noscript><p>a</noscript>b", "<iframe>a</iframe>b<xmp>c<p></xmp>d<noembed>e</noembed>",
		"<svg>a<p>b</svg>c",
		"<svg><style><b>a</style></svg>b", "<svg/>a", "<svg><svg>a</svg>b</svg>c", "<template>a</template>b", "<img alt=a>b<image alt=c>", "<plaintext>a<p>b",
		"<head><title>a</title>b</head>c<body>d</body>e</html>f", "<html><p>a</html><html lang=x><p>b", "<x-card><p>a</x-card>b<x-card>c", "<object>a<p>b</object>c",
		"<marquee><p>a</marquee>b", "<center>a<p>b</center>c", "<p>a<hr>b", "<section><h2>a</h2><p>b</section><main>c</main>", "<p>a<table><tr><td>b</table>c",
	} {
		standard, err := html.Parse(strings.NewReader(source))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Fields(textOf(tree(t, source))), strings.Fields(textOf(standard)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got text %q, want %q", source, got, want)
		}
	}
}

// TestHostilePages checks that a tree of any page has at most as many elements as the page has tags, is at most maxDepth
// deep and contains all text.
func TestHostilePages(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 10))
	names := strings.Fields(`a b big font i p div span li ul ol table tr td th caption select option button form svg math title desc p h1
		foreignobject template script style noscript textarea br img hr object marquee x-y body html head frameset dd dt ruby rt`)
	for range 300 {
		var source strings.Builder
		words := 0
		for range random.IntN(400) {
			name := names[random.IntN(len(names))]
			repeated := 1
			if random.IntN(20) == 0 {
				repeated = random.IntN(700)
			}
			switch random.IntN(4) {
			case 0:
				source.WriteString(strings.Repeat("</"+name+">", repeated))
			case 1:
				words++
				fmt.Fprintf(&source, " w%d ", words)
			default:
				source.WriteString(strings.Repeat("<"+name+">", repeated))
			}
		}
		checkTree(t, source.String())
	}
}

func checkTree(t *testing.T, source string) {
	t.Helper()
	document := tree(t, source)
	elements := 0
	for n := range document.Descendants() {
		depth := 0
		for range n.Ancestors() {
			depth++
		}
		if depth > maxDepth+1 {
			t.Fatalf("got depth %d, want at most %d: %.2000q", depth, maxDepth+1, source)
		}
		if n.Type == html.ElementNode {
			elements++
		}
	}
	if tags := strings.Count(source, "<"); elements > tags+3 {
		t.Errorf("got %d elements from %d tags, want at most 3 more: %.2000q", elements, tags, source)
	}
}

// TestNestingIsCapped checks that no text is refused or lost for its nesting.
func TestNestingIsCapped(t *testing.T) {
	for name, source := range map[string]string{
		"spans":  strings.Repeat("<span>a ", 600),
		"lists":  strings.Repeat("<ul><li>a ", 300) + "b" + strings.Repeat("</ul>a ", 300),
		"quotes": strings.Repeat("<blockquote>a ", 600) + strings.Repeat("</blockquote>a ", 600),
		"tables": strings.Repeat("<table><tr><td>a ", 600) + strings.Repeat("</table>a ", 600),
		"inline": strings.Repeat("<b><i><u><p>a ", 5000),
	} {
		if _, err := Read(t.Context(), []byte(source), "text/html", nil, Limits{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, want := strings.Count(textOf(tree(t, source)), "a"), strings.Count(source, "a "); got != want {
			t.Errorf("%s: got %d words, want %d", name, got, want)
		}
	}
}

// TestFullTreeKeepsText checks that tags beyond maxTree separate the text and are dropped.
func TestFullTreeKeepsText(t *testing.T) {
	document, _, err := parse(t.Context(), strings.NewReader(strings.Repeat("<p>", 100)+"<p>one<p>two <b>th</b>ree<script>no</script>"), 10*nodeSize)
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(document); strings.Join(strings.Fields(text), " ") != "one two three" {
		t.Errorf("got %.100q, want the words one, two, three", text)
	}
}

// TestLongTokens checks that tokens longer than maxToken are split or dropped, without the rest of the page.
func TestLongTokens(t *testing.T) {
	long := strings.Repeat("x", 2*maxToken)
	for name, source := range map[string]string{
		"text":      strings.Repeat("word ", maxToken/2),
		"comment":   "<!--" + long + "-- > -->",
		"script":    "<script>" + long + "<p>no</script>",
		"tag":       `<img alt="` + long + `">`,
		"end":       "</p " + long + ">",
		"attribute": "<p " + strings.Repeat("attribute ", maxToken/8) + ">",
		"doctype":   "<!doctype " + long + ">",
	} {
		p, err := Read(t.Context(), []byte("<p>one "+source+" two"), "text/html", nil, Limits{})
		text := strings.ReplaceAll(strings.Join(strings.Fields(p.Text), " "), "word ", "")
		if err != nil || text != "one two" {
			t.Errorf("%s: got %.100q, %v, want one two", name, text, err)
		}
	}
}

// sources generates pages of size bytes that use much memory.
func sources(size int) map[string]string {
	all := map[string]string{}
	for name, unit := range map[string]string{
		"inline": "<b><i><u><p>", "elements": "<p>", "text": "x ", "escaped": "'", "words": "<p>x", "attributes": "<p class=x id=y dir=z lang=w>",
		"void": "<br>", "pictures": "<img alt=x>", "links": "<a href=x>y</a>", "spans": "<span>", "cells": "<table><td>x", "lines": "<pre>\n\n\n\n\n\n", "open": "<", "charset": "\x80",
	} {
		all[name] = "<html><body>" + strings.Repeat(unit, size/len(unit))
	}
	distinct := &strings.Builder{}
	distinct.WriteString("<p")
	for i := 0; distinct.Len() < size; i++ {
		fmt.Fprintf(distinct, " a%d", i)
	}
	all["names"] = distinct.String()
	all["archive"] = "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n" + strings.Repeat("<p>x", size/4)
	return all
}

var size = flag.Int("size", 0, "size of generated pages, in bytes; 0 for 128 KiB, and only some of the pages")

// TestMemory checks that no page needs more memory than Memory returns: 400 MB for any page.
func TestMemory(t *testing.T) {
	all := sources(cmp.Or(*size, 128<<10))
	if *size == 0 {
		maps.DeleteFunc(all, func(name string, _ string) bool {
			return !strings.Contains("inline escaped charset names archive", name)
		})
	}
	for name, source := range all {
		data, began := []byte(source), time.Now()
		var err error
		used := peak.Of(func() { _, err = Read(t.Context(), data, "text/html", nil, Limits{Text: 100 << 20}) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d MB for %d MB in %v", name, used>>20, len(data)>>20, time.Since(began))
		if most := Memory(int64(len(data))); used > most {
			t.Errorf("%s: used %d bytes for a page of %d bytes, want at most %d", name, used, len(data), most)
		}
	}
	if Memory(2<<20) > 400<<20 || Memory(20<<20) > 400<<20 {
		t.Errorf("a page of 2 MB may use %d bytes and one of 20 MB %d, want at most 400 MB", Memory(2<<20), Memory(20<<20))
	}
}

type canceling struct {
	cancel context.CancelFunc
	n      int
}

func (c *canceling) Read(b []byte) (int, error) {
	if c.n++; c.n == 3 {
		c.cancel()
	}
	return copy(b, strings.Repeat("<p>x", len(b)/4)), nil
}

// TestCanceledParse checks that a parser of an endless page stops when ctx is done.
func TestCanceledParse(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, _, err := parse(ctx, &canceling{cancel: cancel}, maxTree); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	failed := errors.New("failed")
	if _, _, err := parse(t.Context(), io.MultiReader(strings.NewReader("<p>"), &failing{failed}), maxTree); !errors.Is(err, failed) {
		t.Errorf("got error %v, want that of the reader", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }
