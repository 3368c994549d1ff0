package office_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

func TestOpenDocument(t *testing.T) {
	for kind, c := range map[string]struct {
		data []byte
		want string
	}{
		"odt": {officetest.OpenDocument("text", `
			<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/><text:list-level-style-number text:level="2" text:display-levels="2" style:num-format="a"/></text:list-style>
			<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
			<text:h text:outline-level="1">Title</text:h><text:p>One<text:s text:c="2"/>two<text:tab/>three  <text:span>
			four</text:span><text:note><text:note-body><text:p>a note</text:p></text:note-body></text:note></text:p>
			<text:list text:style-name="L1"><text:list-item><text:p>first</text:p><text:p>still first</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>
			</office:text>`, officetest.Part{"styles.xml", `<style:header><text:p>on top</text:p></style:header>`},
			officetest.Part{"Object 1/content.xml", `<chart:chart><text:p>a chart</text:p></chart:chart>`},
			officetest.Part{"meta.xml", `<office:meta><dc:title>On Foxes</dc:title><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword><meta:document-statistic meta:page-count="2" meta:word-count="9"/></office:meta>`},
			officetest.Part{"Thumbnails/thumbnail.png", "\x89PNG\r\n\x1a\n"}),
			"on top\nTitle\nOne  two\tthree four\na note\n1. first\nstill first\n1.a inner\n2. second\na chart"},
		"ods": {officetest.OpenDocument("spreadsheet", `<table:table table:name="Prices"><table:table-row>
			<table:table-cell><text:p>apples</text:p></table:table-cell><table:table-cell table:number-columns-repeated="3"><text:p>1.50</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row>
			<table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>pears</text:p></table:table-cell></table:table-row>
			<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>
			<table:table-row><table:table-cell office:string-value="plums"/><table:table-cell office:value="2.5"><text:p>2.50</text:p></table:table-cell><table:table-cell office:value="3"/><table:table-cell office:date-value="2026-11-22"/></table:table-row></table:table>`),
			"Prices\napples\t1.50\t1.50\t1.50\npears\npears\nplums\t2.50\t3\t2026-11-22"},
		"odp": {officetest.OpenDocument("presentation", `<draw:page><draw:frame><draw:text-box><text:p>a slide</text:p></draw:text-box></draw:frame><presentation:notes><text:p>say hello</text:p></presentation:notes></draw:page>`),
			"a slide\nsay hello"},
	} {
		d := mustRead(t, c.data)
		if d.Format != kind || d.Text != c.want {
			t.Errorf("%s: got %s, %q, want\n%q", kind, d.Format, d.Text, c.want)
		}
		if want := (office.Properties{Title: "On Foxes", Keywords: "a, b", Pages: 2, Words: 9}); kind == "odt" && (d.Properties != want || d.Thumbnail == nil) {
			t.Errorf("got %+v, thumbnail %q; want %+v", d.Properties, d.Thumbnail, want)
		}
	}
}

// TestOpenDocumentText: the text is what LibreOffice shows.
func TestOpenDocumentText(t *testing.T) {
	var deepest strings.Builder
	for level := range 10 {
		fmt.Fprintf(&deepest, `<text:list-level-style-number text:level="%d" text:display-levels="%d" style:num-format="1"/>`, level+1, level+1)
	}
	styles := `
		<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/></text:outline-style>
		<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/><text:list-level-style-number text:level="2" style:num-suffix="." style:num-format="1"/></text:list-style>
		<text:list-style style:name="letters"><text:list-level-style-number text:level="1" style:num-suffix=")" style:num-format="a"/></text:list-style>
		<text:list-style style:name="deep">` + deepest.String() + `</text:list-style>`
	item := func(attributes, text string) string {
		return `<text:list-item ` + attributes + `><text:p>` + text + `</text:p></text:list-item>`
	}
	list := func(attributes, items string) string {
		return `<text:list ` + attributes + `>` + items + `</text:list>`
	}
	deep := item("", "bottom")
	for range 9 {
		deep = `<text:list-item>` + list("", deep) + `</text:list-item>`
	}
	for name, c := range map[string]struct{ body, want string }{
		"no-break space": {`<text:p>against Chelsea <text:span>now</text:span>  and 
 then</text:p>`, "against Chelsea now and then"},
		"shape in a word": {`<text:p>ip<draw:frame><draw:image/><svg:title>a title</svg:title><svg:desc>a cat</svg:desc></draw:frame>sum <draw:rect/>dolor</text:p><text:p>amet</text:p>`, "ipsum dolor\na title\na cat\namet"},
		"box in a box": {`<text:p>out<draw:frame><draw:text-box><text:p>left<draw:custom-shape><text:p>inner</text:p></draw:custom-shape></text:p><text:p>right</text:p></draw:text-box></draw:frame>side</text:p>`,
			"outside\nleft inner\nright"},
		"list in a box": {list(`text:style-name="L"`, item("", `a<draw:frame><draw:text-box>`+list(`text:style-name="letters"`, item("", "x"))+`</draw:text-box></draw:frame>`)+item("", "b")), "1. a\na) x\n2. b"},
		"note":          {`<text:p>rather<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note> difficult</text:p>`, "rather 1 difficult\n1 a note"},
		"comment":       {`<text:p>a te<office:annotation><dc:creator>Ada</dc:creator><dc:date>2009-10-05T19:10:26</dc:date><text:p>why?</text:p></office:annotation>st <text:title>On Foxes</text:title></text:p>`, "a test On Foxes\nAda\nwhy?"},
		"empty item":    {list(`text:style-name="L"`, item("", "a")+item("", "")+item("", "c")), "1. a\n2.\n3. c"},
		"start value":   {list(`text:style-name="L"`, item("", "a")+item(`text:start-value="7"`, "b")+item("", "c")), "1. a\n7. b\n8. c"},
		"override":      {list(`text:style-name="L"`, item("", "a")+item(`text:style-override="letters"`, "b")) + list("", item(`text:style-override="letters"`, "c")), "1. a\nb) b\na) c"},
		"new list":      {list(`text:style-name="L"`, item("", "a")+item("", "b")) + list(`text:style-name="L"`, item("", "c")), "1. a\n2. b\n1. c"},
		"continued": {list(`xml:id="one" text:style-name="L"`, item("", "a")) + list(`text:style-name="L"`, item("", "b")) + list(`text:style-name="L" text:continue-list="one"`, item("", "c")) +
			list(`text:style-name="L" text:continue-numbering="true"`, item("", "d")), "1. a\n1. b\n2. c\n3. d"},
		"continued in another style": {list(`xml:id="one" text:style-name="L"`, item("", "a")) + list(`text:style-name="letters" text:continue-list="one"`, item("", "b")) + list(`text:style-name="L" text:continue-list="one"`, item("", "c")), "1. a\nb) b\n3. c"},
		"inner list": {list(`text:style-name="letters"`, `<text:list-item><text:p>a</text:p>`+list(`text:style-name="deep"`, item("", "b")+item("", "c"))+`<text:p>d</text:p>`+list(`text:style-name="deep"`, item("", "e"))+`</text:list-item>`+
			`<text:list-item><text:p>f</text:p>`+list(`text:style-name="deep"`, item("", "g"))+`</text:list-item>`), "a) a\n1.1 b\n1.2 c\nd\n1.1 e\nb) f\n2.1 g"},
		"inner list, same style": {list(`text:style-name="deep"`, `<text:list-item><text:p>a</text:p>`+list(`text:style-name="deep"`, item("", "b"))+`<text:p>c</text:p>`+list(`text:style-name="deep"`, item("", "d"))+list("", item("", "e"))+`</text:list-item>`), "1 a\n1.1 b\nc\n1.1 d\n1.1 e"},
		"inner list only":        {list(`text:style-name="letters"`, `<text:list-item>`+list(`text:style-name="L"`, item("", "a"))+`</text:list-item>`) + list(`text:style-name="letters"`, `<text:list-item>`+list(`text:style-name="L"`, item("", "b"))+`</text:list-item>`), "1. a\n1. b"},
		"ten levels":             {list(`text:style-name="deep"`, deep), "1.1.1.1.1.1.1.1.1.1 bottom"},
		"headings":               {`<text:h text:outline-level="1">a</text:h><text:h text:is-list-header="true">b</text:h><text:h text:outline-level="1">c</text:h><text:h text:outline-level="1" text:restart-numbering="true" text:start-value="9">d</text:h>` + list(`text:style-name="letters"`, `<text:list-item><text:h>e</text:h></text:list-item>`), "1 a\nb\n2 c\n9 d\na) e"},
		"table":                  {`<table:table table:name="Table1"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>`, "a"},
		"deleted":                {`<text:tracked-changes><text:p>old<text:s text:c="9"/>' '<text:tab/></text:p></text:tracked-changes><text:p>new</text:p>`, "new"},
	} {
		if d := mustRead(t, officetest.OpenDocument("text", `<office:text>`+c.body+`</office:text>`, officetest.Part{"styles.xml", styles})); d.Text != c.want {
			t.Errorf("%s: got %q, want %q", name, d.Text, c.want)
		}
	}
	embedded := officetest.OpenDocument("text", `<text:p>a</text:p>`, officetest.Part{"Obj100/content.xml", `<table:table table:name="Sheet1"><text:p>b</text:p></table:table>`})
	if d := mustRead(t, embedded); d.Text != "a\nb" {
		t.Errorf("got %q, want the text of the embedded object", d.Text)
	}
}

// TestOpenPresentationText: the text has no prompts and placeholders, and what masters show once.
func TestOpenPresentationText(t *testing.T) {
	frame := func(attributes, text string) string {
		return `<draw:frame ` + attributes + `><draw:text-box><text:p>` + text + `</text:p></draw:text-box></draw:frame>`
	}
	const number = `<text:page-number>&lt;number&gt;</text:page-number>`
	d := mustRead(t, officetest.OpenDocument("presentation", `<presentation:footer-decl presentation:name="f">the footer</presentation:footer-decl>
		<draw:page>`+frame(`presentation:class="title" presentation:placeholder="true"`, "Click to add")+frame(`presentation:class="title"`, "a slide")+frame("", number+"th")+
		`<draw:frame><draw:image/><svg:title>a picture</svg:title></draw:frame></draw:page><draw:page>`+frame("", number)+`</draw:page>`,
		officetest.Part{"styles.xml", `<style:master-page>` + frame(`presentation:class="outline"`, "Second Outline Level") + frame(`presentation:class="page-number" presentation:placeholder="true"`, "Page "+number) +
			frame(`presentation:class="footer"`, `<presentation:footer/>`) + frame("", "the company") + `</style:master-page>`}))
	if want := "Page\nthe company\nthe footer\na slide\n1th\na picture\f2"; d.Text != want || d.Properties.Slides != 2 {
		t.Errorf("got %q with %d slides, want %q with 2", d.Text, d.Properties.Slides, want)
	}
}
