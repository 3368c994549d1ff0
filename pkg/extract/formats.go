package extract

import (
	"slices"
	"strings"
	"sync"

	"github.com/assay-project/assay/pkg/extract/contact"
	"github.com/assay-project/assay/pkg/extract/crystal"
	"github.com/assay-project/assay/pkg/extract/mhtml"
	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/spectrum"
)

// Formats returns the formats of all types. The first is that of files of no other type. If several signatures match, the
// first format applies.
func Formats() []Format { return slices.Clone(formats()) }

// formats lists the formats. To add one, write a folder next to this file and list it here.
var formats = sync.OnceValue(func() []Format {
	return []Format{
		{
			Type: Generic, Title: "File", Preview: PreviewNone,
			Steps: []Step{digests},
		},
		{
			Type: Image, Title: "Image", Preview: PreviewPicture,
			Media: words("image/jpeg image/png image/vnd.mozilla.apng image/gif image/bmp image/webp image/tiff image/svg+xml image/x-icon " +
				"image/heic image/heif image/heic-sequence image/heif-sequence image/avif image/jxl"),
			Endings:  Endings{Binary: words("jpg jpeg png gif bmp webp tif tiff ico heic heif hif avif jxl dng cr2 cr3 nef arw rw2 orf raf pef"), Text: words("svg")},
			Steps:    []Step{{StepThumbnails, ClassRender, true, PictureThumbnails}, {StepMetadata, ClassLight, true, PictureTags}},
			Contents: Contents{"JPEG, PNG, GIF, BMP, WebP, TIFF, ICO, HEIC, AVIF, JPEG XL, SVG, raw files of cameras", "none", "the picture", "size, camera, place and time"},
		},
		{
			Type: PDF, Title: "PDF", Preview: PreviewDocument,
			Media: words("application/pdf"), Endings: Endings{Binary: words("pdf")},
			Steps: []Step{
				{StepText, ClassEngine, true, PDFText}, {StepThumbnails, ClassEngine, false, PDFThumbnails},
				{StepMetadata, ClassEngine, true, PDFProperties},
			},
			Contents: Contents{"PDF", "of all pages, with the values of forms, notes and comments", "the first page", "title, author, pages, forms, signatures, names of attached files"},
		},
		office(),
		{
			Type: WebPage, Title: "Web page", Preview: PreviewArticle, Blank: true,
			Media: words("text/html"), Endings: Endings{Text: words("html htm mhtml mht")}, Signature: mhtml.Matches,
			Steps: []Step{{StepText, ClassLight, true, PageText}, {StepThumbnails, ClassFetch, false, PagePicture}, digests},
			Contents: Contents{
				"HTML, MHTML, and pages imported by URL", "the displayed text of the complete page; the article separately",
				"the picture that an imported page references (`og:image`)", "title, author, language",
			},
		},
		{
			Type: Text, Title: "Text", Preview: PreviewText, Blank: true,
			Endings:  Endings{Text: words("txt md json xml log")},
			Steps:    []Step{{StepText, ClassLight, true, PlainText}, digests},
			Contents: Contents{"TXT, MD, JSON, XML, LOG", "unchanged, in UTF-8", "none", ""},
		},
		{
			Type: Table, Title: "Table", Preview: PreviewRows, Blank: true,
			Endings: Endings{Text: words("csv tsv")},
			Steps: []Step{
				{StepParse, ClassRecords, true, TableRows}, {StepText, ClassRecords, false, TableText}, digests,
			},
			Contents: Contents{"CSV, TSV", "of the cells", "none", "columns"},
		},
		{
			Type: Reaction, Title: "Reactions", Preview: PreviewDrawings,
			Endings: Endings{Text: words("rxn rdf")}, Signature: molecule.HasReactions, Records: molecule.Reactions(),
			Steps:    recordSteps,
			Contents: Contents{"RXN, RDF", "names, formulas and values of the records", "the first reaction", "columns"},
		},
		{
			Type: Chemical, Title: "Molecules", Preview: PreviewDrawings,
			Endings: Endings{Text: words("sdf mol smi smiles")}, Signature: molecule.HasMolecules, Records: molecule.Molecules(),
			Steps:    recordSteps,
			Contents: Contents{"SDF, MOL, SMILES", "names, formulas and values of the records", "the first molecule", "columns"},
		},
		{
			Type: Spectrum, Title: "Spectrum", Preview: PreviewCurves,
			Endings: Endings{Text: words("jdx dx jcamp")}, Signature: spectrum.HasSpectra, Records: spectrum.Formats(),
			Steps:    recordSteps,
			Contents: Contents{"JCAMP-DX", "names and values of the records", "the first spectrum", "columns"},
		},
		{
			Type: Crystal, Title: "Crystals", Preview: PreviewDrawings,
			Endings: Endings{Text: words("cif")}, Signature: crystal.HasCrystals, Records: crystal.Formats(),
			Steps:    recordSteps,
			Contents: Contents{"CIF", "names, formulas and values of the records", "the first crystal", "columns"},
		},
		{
			Type: Contact, Title: "Contacts", Preview: PreviewRows,
			Media: words("text/vcard"), Endings: Endings{Text: words("vcf vcard")}, Records: contact.Formats(),
			Steps: []Step{
				{StepParse, ClassRecords, true, RecordBoundaries}, {StepText, ClassRecords, false, RecordText}, digests,
			},
			Contents: Contents{"vCard", "names and values of the records", "none", "columns"},
		},
		{
			Type: Microscopy, Title: "Microscopy image", Preview: PreviewPicture,
			Endings:  Endings{Binary: words("lsm czi lif nd2 ims")},
			Steps:    []Step{{StepThumbnails, ClassRender, false, PictureThumbnails}, {StepMetadata, ClassLight, true, MicroscopyHeader}},
			Contents: Contents{"LSM, CZI, LIF, ND2, IMS, OME-TIFF", "none", "of LSM and OME-TIFF", "of the header"},
		},
	}
})

// digests is the metadata of files without properties of their own.
var digests = Step{StepMetadata, ClassLight, true, Digests}

// recordSteps are the steps of files with records that have drawings.
var recordSteps = []Step{
	{StepParse, ClassRecords, true, RecordBoundaries}, {StepThumbnails, ClassEngine, false, RecordThumbnails},
	{StepText, ClassRecords, false, RecordText}, digests,
}

func office() Format {
	const ooxml, odf = "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."
	return Format{
		Type: Office, Title: "Office document", Preview: PreviewDocument,
		Media: words(ooxml + "wordprocessingml.document " + ooxml + "spreadsheetml.sheet " + ooxml + "presentationml.presentation " +
			odf + "text " + odf + "spreadsheet " + odf + "presentation " +
			"application/msword application/vnd.ms-excel application/vnd.ms-powerpoint text/rtf"),
		Endings: Endings{Binary: words("docx xlsx pptx odt ods odp doc xls ppt")},
		Steps: []Step{
			{StepText, ClassLight, true, OfficeText}, {StepThumbnails, ClassRender, false, OfficeThumbnails},
			{StepMetadata, ClassLight, true, OfficeProperties}, {StepRecords, ClassRecords, false, WorkbookRows},
		},
		Contents: Contents{
			"DOCX, XLSX, PPTX, ODT, ODS, ODP, and their template and macro-enabled variants; with a converter also DOC, XLS, PPT, RTF",
			"body, tables, notes, headers, comments, charts, diagrams, numbers as displayed",
			"the embedded preview, or with a converter the first page", "title, author, dates, pages",
		},
	}
}

func words(text string) []string { return strings.Fields(text) }
