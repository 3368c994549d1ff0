package reason

// The sentences, by subject. Verbs are replaced by Fill.
const (
	NotText      Reason = "the content is not text: it looks like %s"
	TooManyWords Reason = "the text has too many distinct words: with %d bytes of overhead each, they take more than %d bytes (ASSAY_VOCABULARY)"

	DocumentMemory       Reason    = "the document needs more memory than allowed"
	DocumentCrashed      Reason    = "the document crashed its parser"
	DocumentSlow         Reason    = "the document takes longer than allowed"
	DocumentLocked       Reason    = "the document is password-protected"
	DocumentDamaged      Reason    = "the document is damaged"
	DocumentFormat       Reason    = "the file is not an office document that can be read"
	DocumentTooBig       Reason    = "the document is too large"
	NotPDF               Reason    = "the document is not a PDF, or is damaged"
	PDFPage              Reason    = "the page of the document cannot be read"
	NotConverted         Reason    = "the document cannot be converted"
	ConverterUnavailable Temporary = "the converter does not respond"
	EngineClosed         Temporary = "the engine is closed"
	EngineNotReady       Temporary = "the engine is being compiled"
	EngineMissing        Temporary = "the engine cannot be compiled"

	PageUnreadable Reason = "the page cannot be read"

	PictureFormat     Reason = "the file is not a JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP or TIFF picture"
	PictureUnreadable Reason = "the picture cannot be read"
	PictureTooLarge   Reason = "the picture is too large"
	PictureTooSmall   Reason = "the picture is too small"
	DrawingDamaged    Reason = "the picture is not SVG, or is damaged"
	HeaderDamaged     Reason = "the header is damaged"

	WorkbookLocked  Reason = "the workbook is password-protected"
	WorkbookDamaged Reason = "the workbook is damaged, or is not an XLSX workbook"
	FirstRow        Reason = "the first row cannot be read: %s"

	PromptUnclear Reason = "the prompt contains no known instruction"
	PromptTooLong Reason = "the prompt has too many steps"
)

// The details.
const (
	BytesLimit      Detail = "%d bytes; the limit is %d"
	PixelsLimit     Detail = "%d × %d pixels; the limit is %d pixels"
	SidesLimit      Detail = "%d × %d pixels; the limit is %d for each side"
	FramesLimit     Detail = "%d frames of %d × %d pixels; the limit is %d pixels in all frames"
	SidesMinimum    Detail = "%d × %d pixels; each side must have at least %d"
	HeaderStates    Detail = "the header states %d × %d pixels"
	IsEmpty         Detail = "the file is empty"
	MemoryLimit     Detail = "processing it takes %d MB of memory; the limit is %d MB"
	DecodingMemory  Detail = "decoding it needs more memory than allowed"
	EncodingMemory  Detail = "encoding it needs more memory than allowed"
	DecodingTime    Detail = "decoding it takes longer than allowed"
	MiB             Detail = "%d MiB"
	TimeLimit       Detail = "the limit is %s"
	NoPages         Detail = "it has no pages"
	NoDirectory     Detail = "its archive has no directory"
	PartsLimit      Detail = "it has %d parts, and the maximum is %d"
	DirectoryLimit  Detail = "its directory has more than %d bytes"
	ElementLimit    Detail = "an element or text has more than %d bytes"
	AttributesLimit Detail = "an element has more than %d attributes"
	RelationsLimit  Detail = "part %.100q has more than %d relations"
	SlidesLimit     Detail = "its list of slides has more than %d bytes"
	SheetsLimit     Detail = "its list of sheets has more than %d bytes"
	ScansLimit      Detail = "it has %d scans; the limit is %d"
	JPEGProcess     Detail = "JPEG with %s is not supported"
	PictureShare    Detail = "the file is damaged or ends early; %d %% of the picture could be read"
	PictureFeature  Detail = "it is compressed in a way that is not supported"
	TIFFSamples     Detail = "TIFF with %d-bit %s samples in compression %d is not supported"
	TIFFFeature     Detail = "TIFF with %s is not supported"
	BMPFeature      Detail = "BMP with %s is not supported"
	InflatedLimit   Detail = "it inflates to more than %d bytes"
	PartRatio       Detail = "part %.100q inflates to more than %d times its size"
	PartLimit       Detail = "part %.100q inflates to more than %d bytes"
	NoPart          Detail = "it has no part %.100q"
	PDFLimit        Detail = "the PDF has more than %d bytes"
	NotAPDF         Detail = "the converter returned no PDF"
	StepsLimit      Detail = "it has %d, and the maximum is %d"
	Instructions    Detail = "%s; supported instructions: %s"
)

// sentences contains every Reason and Temporary.
var sentences = []error{
	NotText, TooManyWords,
	DocumentMemory, DocumentCrashed, DocumentSlow, DocumentLocked, DocumentDamaged, DocumentFormat, DocumentTooBig,
	NotPDF, PDFPage, NotConverted, ConverterUnavailable, EngineClosed, EngineNotReady, EngineMissing,
	PageUnreadable,
	PictureFormat, PictureUnreadable, PictureTooLarge, PictureTooSmall, DrawingDamaged, HeaderDamaged,
	WorkbookLocked, WorkbookDamaged, FirstRow,
	PromptUnclear, PromptTooLong,
}

// details contains every Detail.
var details = []Detail{
	BytesLimit, PixelsLimit, SidesLimit, FramesLimit, SidesMinimum, HeaderStates, IsEmpty, MemoryLimit, DecodingMemory, EncodingMemory, DecodingTime, MiB, TimeLimit, NoPages,
	NoDirectory, PartsLimit, DirectoryLimit, ElementLimit, AttributesLimit, RelationsLimit, SlidesLimit, SheetsLimit,
	ScansLimit, JPEGProcess, PictureShare, PictureFeature, TIFFSamples, TIFFFeature, BMPFeature, InflatedLimit, PartRatio, PartLimit, NoPart, PDFLimit, NotAPDF, StepsLimit, Instructions,
}
