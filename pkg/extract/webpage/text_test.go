package webpage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/webpage"
)

// TestDisplayedText checks that the text is what a browser displays.
func TestDisplayedText(t *testing.T) {
	for source, want := range map[string]string{
		"<header>a</header><nav>b</nav><main>c</main><footer>d</footer>":                                  "a\nb\nc\nd",
		"<form><fieldset><legend>a</legend><label>b</label><button>c</button><button>d</button>":          "a\nb c d",
		"<select><optgroup label=x><option>a<option>b</select>c":                                          "a\nb\nc",
		"<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>":                                                          "a\nb\nc\nd",
		"<table><caption>a</caption><tr><th>b<th>c<tr><td><td>d</table>":                                  "a\nb\tc\n\td",
		"super<wbr>calif <b>B</b>old H<sub>2</sub>O a<br>b":                                               "supercalif Bold H2O a\nb",
		"a&nbsp;<b>b</b>  <i> c</i>":                                                                      "a b c",
		"<pre>a\n\n  b <b>c</b></pre><xmp>d <p> e</xmp>f":                                                 "a\n  b c\nd <p> e\nf",
		"<p style='white-space: pre-wrap'>a\n b</p>":                                                      "a\n b",
		"a<img alt='b'>c<img alt>d":                                                                       "a b c d",
		"<details><summary>a</summary>b</details><dialog>no</dialog><dialog open>c</dialog>":              "a\nb\nc",
		"<p hidden>no</p><p style='color:red;DISPLAY : None !important'>no</p>a":                          "a",
		"<p hidden style='display:block'>a</p><p hidden=until-found>b</p><p popover>no":                   "a\nb",
		"<div style='visibility:hidden'>no<b style='visibility:visible'>a</b></div>b":                     "a\nb",
		"<body style='display:none'>a":                                                                    "a", // until a script has run
		"<noscript>no</noscript><template>no</template><iframe>no</iframe><video>no</video>a":             "a",
		"<div><template shadowrootmode=open>a</template></div>b":                                          "a\nb",
		"<textarea>no</textarea><input value=no><object data=x>a</object>":                                "a",
		"<svg><title>no</title><defs><text>no</text></defs><text>a</text><g><text>b</text></g>no</svg>c":  "a b c",
		"<svg><foreignObject><div>a</div><script>no</script><p>b</p></foreignObject></svg>":               "a b",
		"<math><mi>a</mi><mo>+</mo><annotation>no</annotation></math>b":                                   "a + b",
		"<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です":                                      "漢字です",
		"<ruby>\n 漢<rt>かん</rt>\n 字<rt>じ</rt>\n</ruby>":                                                    "漢字",
		"<ruby><rb>東<rb>京<rt>とう<rt>きょう</ruby> <ruby>New <rt>x</rt>York<rt>y</rt></ruby>":                  "東京 New York",
		"<span style='display:block'>a</span><span style='display:block'>b</span><template>no</template>": "a\nb",
	} {
		if p := read(t, source, "text/html"); strings.TrimRight(p.Text, " ") != want {
			t.Errorf("%s: got %q, want %q", source, p.Text, want)
		}
	}
}

// paragraph is long enough for an article.
var paragraph = "<p>" + strings.Repeat("The quick brown fox jumps over the lazy dog while several commas, clauses, and phrases make this paragraph long enough. ", 4) + "</p>"

// TestTextOfTheEntirePage checks that no text is lost because of its class, because it is a list of links, or because it
// is outside of the article.
func TestTextOfTheEntirePage(t *testing.T) {
	var products strings.Builder
	for i := range 12 {
		fmt.Fprintf(&products, `<li><a href="#">Produkt%d Schraube</a> 12,50 €</li>`, i)
	}
	for name, source := range map[string]string{
		"list": `<title>Products</title><h1>Products</h1><ul class="menu">` + products.String() + `</ul><div class="teaser">` + paragraph +
			`</div><div class="footer"><p>Impressumquux Musterstraße 1</p></div>`,
		"classes": `<title>Preisliste</title><h1>Preise</h1><p>Kurz.</p><table><tr><td>Schraube M8</td><td>schraubquux</td></tr></table>` + paragraph +
			`<div class="ad-break"><p>adclassquux important text with commas, yes, really.</p></div><div class="related"><p>relatedquux</p></div>`,
		"article": `<title>The Title | Site</title><nav><a href=#>Nav one</a></nav><article><h1>The Title</h1>` + strings.Repeat(paragraph, 3) +
			`<table class="header_cell"><tr><th class="header_cell">thquux</th><th>Amount</th></tr><tr><td>tdquux</td><td>12</td></tr></table>` +
			`<details><summary>sumquux</summary>detquux</details><aside>asidequux</aside></article><footer>footerquux contact</footer>`,
	} {
		p := read(t, source, "text/html")
		for _, want := range map[string][]string{
			"list":    {"Produkt3 Schraube", "Produkt11 Schraube", "Impressumquux"},
			"classes": {"schraubquux", "adclassquux", "relatedquux"},
			"article": {"thquux", "tdquux", "sumquux", "detquux", "asidequux", "footerquux", "Nav one"},
		}[name] {
			if !strings.Contains(p.Text, want) {
				t.Errorf("%s: got text %q, want it to contain %q", name, p.Text, want)
			}
			if outside := want == "footerquux" || want == "Nav one"; strings.Contains(p.HTML, want) == outside {
				t.Errorf("%s: got HTML %q; want %q outside of the article: %t", name, p.HTML, want, outside)
			}
		}
		if want := name == "article"; p.Article != want {
			t.Errorf("%s: got article %t, want %t", name, p.Article, want)
		}
	}
}

// TestTitles checks that the title of a drawing is not the title of a page.
func TestTitles(t *testing.T) {
	for source, want := range map[string]string{
		"<html><body><svg><title>iconquux</title></svg>" + paragraph:              "",
		"<svg><title>iconquux</title></svg><title>Real title</title>" + paragraph: "Real title",
	} {
		if p := read(t, source, "text/html"); p.Title != want || strings.Contains(p.Text, "iconquux") {
			t.Errorf("got title %q, text %q, want title %q and no iconquux", p.Title, p.Text, want)
		}
	}
}

// TestPagesWithoutText checks what is known about pages that display nothing.
func TestPagesWithoutText(t *testing.T) {
	for source, want := range map[string]webpage.Page{
		"<div id=root></div><script src=app.js></script>":                                {Scripts: true},
		`<script type="application/ld+json">{"a":1}</script><noscript>Enable</noscript>`: {},
		`<meta http-equiv="Refresh" content="0; URL='next.html'">`:                       {Refresh: "https://example.com/news/next.html"},
		`<meta http-equiv=refresh content="0;url=https://example.org/a?b=c=ü">`:          {Refresh: "https://example.org/a?b=c=%C3%BC"},
		`<meta http-equiv=refresh content="5">`:                                          {},
		`<meta http-equiv=refresh content="0; javascript:alert(1)">`:                     {},
	} {
		p := read(t, source, "text/html")
		if p.Text != "" || p.Scripts != want.Scripts || p.Refresh != want.Refresh {
			t.Errorf("%s: got text %q, scripts %t, refresh %q, want no text, %t, %q", source, p.Text, p.Scripts, p.Refresh, want.Scripts, want.Refresh)
		}
	}
	p, err := webpage.Read(t.Context(), []byte(`<meta http-equiv=refresh content="0;url=next.html">`), "text/html", nil, webpage.Limits{})
	if err != nil || p.Refresh != "next.html" {
		t.Errorf("got %+v, %v, want the reference of a page without a URL", p, err)
	}
}

// TestArchive checks that the page of an MHTML archive is read in its charset, with its URL.
func TestArchive(t *testing.T) {
	const archive = "From: <Saved by Blink>\r\nSubject: Mht\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"--b--\"\r\n\r\n" +
		"----b--\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://x.example/a/\r\n\r\n" +
		"<html><body><p>Gr=FC=DFe mhtmlquux splitw=\r\nord <a href=3D\"b\">c</a></p></body></html>\r\n----b----\r\n"
	p, err := webpage.Read(t.Context(), []byte(archive), "", nil, webpage.Limits{})
	if err != nil || p.Text != "Grüße mhtmlquux splitword c" || !strings.Contains(p.HTML, `href="https://x.example/a/b"`) {
		t.Errorf("got %+v, %v, want the decoded text and an absolute link", p, err)
	}
}
