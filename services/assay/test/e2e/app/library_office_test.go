package app

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// officeFiles: a document is shown as paragraphs, with lines of cells as a table, and a presentation as slides.
func officeFiles(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	row := func(a, b string) string { return officetest.Paragraph("", a+"</w:t><w:tab/><w:t>"+b) }
	document := officetest.Word(officetest.Paragraph("", "Report of the trial") + officetest.Paragraph("", "Both doses were tolerated.") +
		row("Substance", "Dose") + row("Aspirin", "500 mg") + row("Caffeine", "&lt;b>100&lt;/b> mg"))
	n := keep(t, s, p.Owner, "report.docx", "", string(document))
	p.Go(t, "/library/"+n.ID)
	p.See(t, ".paged-text p", "Both doses were tolerated.")
	p.See(t, ".paged-text tr:nth-child(2) td", "500 mg")
	p.Wait(t, `document.querySelectorAll(".paged-text tr").length === 3 && document.querySelectorAll(".paged-text td").length === 6`)
	p.State(t, "file-docx")
	n = keep(t, s, p.Owner, "plan.pptx", "", string(officetest.Presentation("The plan", "The end")))
	p.Go(t, "/library/"+n.ID)
	p.See(t, ".paged-text section:first-child", "The end")
	p.See(t, ".paged-text h2", "Slide 1")
	p.State(t, "file-pptx")
}
