package report

import (
	"fmt"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// document returns the page. Texts are escaped; drawings are markup of this package.
func (p page) document() g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content("default-src 'none'; style-src 'unsafe-inline'")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text("Model of "+short(p.Target))),
			h.StyleEl(g.Raw(pageStyle)),
		),
		h.Body(h.Main(
			p.verdict(), p.header(), p.numbers(), p.quality(), p.learned(), p.compared(), p.data(),
			g.If(len(p.Reliability) > 0, section("Where to trust it", h.Div(h.Class("card"), g.Map(p.Reliability, paragraph)))),
			g.If(len(p.Remarks) > 0, section("Remarks", h.Ul(h.Class("card remarks"), g.Map(p.Remarks, func(text string) g.Node { return h.Li(isolated(clean(text))) })))),
			section("Origin", h.Dl(h.Class("card facts"), g.Map(p.Facts, func(f fact) g.Node { return g.Group{h.Dt(g.Text(f.Name)), h.Dd(isolated(f.Value))} }))),
		)),
	))
}

func section(title string, content ...g.Node) g.Node {
	return h.Section(h.H2(g.Text(title)), g.Group(content))
}

func paragraph(text string) g.Node { return h.P(g.Text(text)) }

// isolated returns a text whose direction does not affect its surroundings.
func isolated(text string) g.Node { return g.El("bdi", g.Text(text)) }

// joined returns a text without line breaks inside of numbers.
func joined(text string) g.Node {
	return g.Text(strings.NewReplacer(" %", "\u00a0%", " ± ", "\u00a0±\u00a0").Replace(clean(text)))
}

// heads returns the heading row of a table. The names in end are aligned at the end.
func heads(names ...g.Node) g.Node { return h.THead(h.Tr(g.Group(names))) }

func head(name string) g.Node { return h.Th(g.Attr("scope", "col"), g.Text(name)) }

func endHead(name ...g.Node) g.Node {
	return h.Th(g.Attr("scope", "col"), h.Class("end"), g.Group(name))
}

func rowHead(content ...g.Node) g.Node { return h.Th(g.Attr("scope", "row"), g.Group(content)) }

func end(text string) g.Node { return h.Td(h.Class("end"), g.Text(text)) }

func (p page) verdict() g.Node {
	class, sign := "bad", `<path d="M12 7.5v5.5M12 16.5v.1"/>`
	if p.Verdict.Better {
		class, sign = "good", `<path d="m8 12.5 2.7 2.7L16 9.6"/>`
	}
	return h.Section(h.Class("verdict "+class), h.Aria("label", "Verdict"),
		g.Raw(`<svg class="icon" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><circle cx="12" cy="12" r="9"/>`+sign+`</svg>`),
		h.Div(h.P(h.Class("sentence"), joined(p.Verdict.Sentence)), h.P(joined(p.Comparison))),
	)
}

func (p page) header() g.Node {
	over := []g.Node{h.Class("over"), g.Text("Model report")}
	if p.Model.Name != "" {
		over = append(over, g.Text(" · "), isolated(short(p.Model.Name)))
	}
	return h.Header(
		h.P(over...),
		h.H1(g.Text("Prediction of "), isolated(short(p.Target))),
		h.P(h.Class("lead"), g.Text(learnerName(p.Model.Learner)+" · "), isolated(p.Kind), g.Text(" · "), isolated(short(p.File.Name))),
	)
}

func (p page) numbers() g.Node {
	return h.Dl(h.Class("numbers"), g.Map(p.Tiles, func(t tile) g.Node {
		return h.Div(h.Dt(g.Text(t.Name)), h.Dd(g.Text(t.Value), g.If(t.Note != "", h.Small(g.Text(t.Note)))))
	}))
}

func (p page) quality() g.Node {
	if len(p.Charts) == 0 && len(p.Matrix) == 0 {
		return nil
	}
	plots := h.Div(h.Class("columns plots"), g.Map(p.Charts, chart.figure), g.If(len(p.Matrix) > 0, p.confusion()))
	return h.Section(h.ID("quality"), h.H2(g.Text("How well it predicts")), plots)
}

func (c chart) figure() g.Node {
	return h.Figure(h.Class("card"), h.H3(g.Text(c.Title)), g.Raw(c.Drawing),
		g.If(len(c.Legend) > 0, h.Ul(h.Class("legend"), g.Map(c.Legend, func(k key) g.Node {
			return h.Li(g.Raw(`<svg viewBox="0 0 28 8" width="28" height="8" aria-hidden="true"><path class="`+k.Class+`" d="M1 4h26"/></svg>`), g.Text(k.Text))
		}))),
		h.FigCaption(g.Text(c.Caption)),
		g.If(len(c.Table.Rows) > 0, c.Table.details()),
	)
}

func (t table) details() g.Node {
	return h.Details(h.Summary(g.Text("Numbers")), h.Div(h.Class("scroll"), h.Table(
		hidden(t.Caption),
		heads(g.Map(t.Heads, func(name string) g.Node { return endHead(g.Text(name)) })...),
		h.TBody(g.Map(t.Rows, func(row []string) g.Node { return h.Tr(g.Map(row, end)) })),
	)))
}

func hidden(text string) g.Node { return h.Caption(h.Class("visually-hidden"), g.Text(text)) }

func (p page) confusion() g.Node {
	if len(p.Classes) < 2 {
		return nil
	}
	names := []g.Node{head("Actual")}
	for _, class := range p.Classes {
		names = append(names, endHead(g.Text("Predicted "), isolated(short(class))))
	}
	var rows g.Group
	for i, row := range p.Matrix {
		cell := func(count int, right bool) g.Node {
			class := "end"
			if right {
				class += " right"
			}
			return h.Td(h.Class(class), g.Text(grouped(count)))
		}
		rows = append(rows, h.Tr(rowHead(isolated(short(row.Class))), cell(row.Negative, i == 0), cell(row.Count, i == 1)))
	}
	return h.Div(h.Class("card full"), h.H3(g.Text("Confusion matrix")), h.Div(h.Class("scroll"), h.Table(h.Class("matrix"),
		h.Caption(g.Text("Rows by actual and predicted class. A row is predicted as "), isolated(short(p.Classes[1])), g.Text(" if its probability is at least 0.5.")),
		heads(names...), h.TBody(rows),
	)))
}

func (p page) learned() g.Node {
	if len(p.Importance) == 0 && p.Learning.Drawing == "" {
		return nil
	}
	return section("What it learned", h.Div(h.Class("columns"), p.important(), g.Iff(p.Learning.Drawing != "", p.Learning.figure)))
}

func (p page) important() g.Node {
	if len(p.Importance) == 0 {
		return nil
	}
	class, caption, names := "bars", "Shares of the importance of all features", []g.Node{head("Feature"), head("Share")}
	if p.Linear {
		class, caption, names = class+" linear", caption+", and coefficients in the units of the features", append(names, endHead(g.Text("Coefficient")))
	}
	row := func(i FeatureImportance) g.Node {
		return h.Tr(rowHead(isolated(short(i.Name))),
			h.Td(h.Div(h.Span(h.Class("bar"), h.Span(h.Style("width:"+bar(i.Share, p.MostShare)+"%"))), h.Span(h.Class("amount"), g.Text(percent(i.Share))))),
			g.Iff(p.Linear, func() g.Node { return end(optional(i.Coefficient, rich)) }),
		)
	}
	return h.Div(h.Class("card"), h.H3(g.Text("Most important features")), h.Table(h.Class(class), h.Caption(g.Text(caption+".")), heads(names...), h.TBody(g.Map(p.Importance, row))))
}

// bar returns the width of a bar in percent.
func bar(of, most float64) string {
	if of <= 0 || most <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*min(of/most, 1))
}

func (p page) compared() g.Node {
	if len(p.Candidates) == 0 {
		return nil
	}
	caption := "Cross-validated scores with standard errors"
	if p.Verdict.Baseline != nil {
		caption += ". The dashed line is the baseline"
	}
	var rows g.Group
	for i, c := range p.Candidates {
		name := g.Group{g.Text(learnerName(c.Learner))}
		if c.Chosen {
			name = append(name, g.Text(" "), h.Span(h.Class("badge"), g.Text("chosen")))
		}
		if len(c.Parameters) > 0 {
			name = append(name, h.Small(g.Text(settings(c.Parameters))))
		}
		if c.Error != "" {
			name = append(name, h.Small(h.Class("bad"), g.Text(clean(c.Error))))
		}
		rows = append(rows, h.Tr(g.If(c.Chosen, h.Class("chosen")), rowHead(name), h.Td(h.Class("wide"), g.Raw(p.Ranges[i])), end(optional(c.Score, rich)), end(optional(c.StandardError, rich))))
	}
	wide := h.Th(g.Attr("scope", "col"), h.Class("wide"), g.Text("Score and baseline"))
	return section("Learners compared", h.Div(h.Class("card"), h.Div(h.Class("scroll"), h.Table(h.Class("candidates"), h.Caption(g.Text(caption+".")),
		heads(head("Learner"), wide, endHead(g.Text(p.Metric)), endHead(g.Text("Std. error"))), h.TBody(rows)))))
}

func (p page) data() g.Node {
	return section("Data", h.Div(h.Class("columns"),
		h.Div(h.Class("card"), h.H3(g.Text("Rows")), paragraph(p.used()), g.Iff(len(p.Rows.LeftOut) > 0, p.rowsLeftOut)),
		h.Div(h.Class("card"), h.H3(g.Text("Features")), h.Table(h.Caption(g.Text("Features used")), heads(head("Kind"), endHead(g.Text("Features"))), h.TBody(
			h.Tr(h.Td(g.Text("Columns of the file")), end(grouped(p.Features.Fields))),
			h.Tr(h.Td(g.Text("Properties of the structure")), end(grouped(p.Features.Properties))),
			h.Tr(h.Td(g.Text("Bits of Morgan fingerprints")), end(grouped(p.Features.Bits))),
		)), g.Iff(len(p.Features.LeftOut) > 0, p.columnsLeftOut)),
	))
}

// used states how many rows were used.
func (p page) used() string {
	text := grouped(p.Rows.Used) + " rows were used. "
	if p.Rows.Filled > 0 {
		text += grouped(p.Rows.Filled) + " missing values were filled."
	} else {
		text += "No value was missing."
	}
	if p.Validation != "" {
		text += " " + p.Validation
	}
	return text
}

func (p page) rowsLeftOut() g.Node {
	return h.Table(h.Caption(g.Text("Rows left out")), heads(head("Reason"), endHead(g.Text("Rows"))),
		h.TBody(g.Map(p.Rows.LeftOut, func(l RowsLeftOut) g.Node {
			return h.Tr(h.Td(isolated(explanation(l.Explanation, l.Reason))), end(grouped(l.Count)))
		})))
}

func (p page) columnsLeftOut() g.Node {
	all := p.Features.LeftOut
	more := p.Features.LeftOutTotal - len(all)
	return h.Details(g.If(len(all) < 9, g.Attr("open")), h.Summary(g.Text(grouped(p.Features.LeftOutTotal)+" columns left out")),
		h.Table(hidden("Columns left out"), heads(head("Column"), head("Reason")),
			h.TBody(g.Map(all, func(l ColumnLeftOut) g.Node {
				return h.Tr(rowHead(isolated(short(l.Name))), h.Td(isolated(explanation(l.Explanation, l.Reason))))
			}))),
		g.If(more != 0, h.P(h.Class("soft"), g.Text("and "+grouped(more)+" more"))),
	)
}
