package reason

// Reason is a sentence for users. Its zero value is Unknown.
type Reason int

// The sentences, by subject.
const (
	Unknown Reason = iota

	AnalysisFailed
	AnalysisLate
	AnalysisCrashed
	AnalysisLost
	ResultRejected

	BytesGone
	UploadGone
	NoBytes
	OtherBytes
	OtherSize
	OtherType
	FileEmpty
	FileTooLarge
	TextGone

	NotText
	UnknownCharset
	TooManyWords

	DocumentMemory
	DocumentCrashed
	DocumentSlow
	DocumentLocked
	DocumentDamaged
	DocumentFormat
	DocumentTooBig
	NotPDF
	PDFPage
	PagesUnreadable
	NeedsConverterForText
	NeedsConverterForPicture
	NoPicture
	NoPagePicture
	UploadedPage
	NotDrawn
	NotWorkbook
	EmptyWorkbook
	RecordsLimit
	RepeatedStrings
	NotConverted
	ConverterAway
	EngineClosed
	EngineNotReady
	EngineMissing

	PageUnreadable
	PageAway
	PageAddress
	PageTooLarge
	PageNoServer
	PageStatus
	PageEmpty
	PageType
	PageURLTooLong

	PictureFormat
	PictureUnreadable
	PictureTooLarge
	PictureTooSmall
	PictureAnimated
	DrawingDamaged
	PreviewUnreadable
	HeaderDamaged

	WorkbookLocked
	WorkbookDamaged
	FirstRow
	NoRows
	NoRecords
	NoRecordType
	NoChunk
	NoRecordRead
	RecordsFailed
	RecordsGone
	MicroscopyPicture

	ProviderUnreachable
	ProviderLost
	ProviderSlow
	ProviderStatus
	ProviderMessage
	ProviderAnswer
	ProviderPolicy
	ProviderMissing
	ProviderNoDescription
	ProviderPrompt
	ProviderAnswersLost
	CallNotMade
	PromptUnclear
	PromptTooLong

	FeedKeyRejected
	FeedKeyMissing
	FeedGone
	FeedMalformed
	FeedTooLarge
	FeedThrottled
	FeedStatus
	AddressBlocked
	FeedUnreachable
	FeedSlow
	FeedInterrupted
	FeedStore
	FeedCrashed
	FeedMessage
	FeedReport
)

// sentence is a sentence with its properties.
type sentence struct {
	text      string
	temporary bool // another attempt may succeed
}

// sentences contains the sentence of each Reason. Verbs are replaced by Fill.
var sentences = [...]sentence{
	Unknown: {text: "the content cannot be processed"},

	AnalysisFailed:  {text: "the analysis did not succeed in %s", temporary: true},
	AnalysisLate:    {text: "the analysis took longer than %s in %s", temporary: true},
	AnalysisCrashed: {text: "the analysis crashed in %s; this is a defect in Assay, not in the content", temporary: true},
	AnalysisLost:    {text: "gave up after %s; in the last one, the worker died or lost its connection", temporary: true},
	ResultRejected:  {text: "the result cannot be stored; this is a defect in Assay, not in the content"},

	BytesGone:    {text: "the bucket no longer contains the bytes of the file"},
	UploadGone:   {text: "the uploaded object no longer exists"},
	NoBytes:      {text: "the content is not in the bucket"},
	OtherBytes:   {text: "the content does not match the reservation"},
	OtherSize:    {text: "the upload does not have the reserved size of %d bytes"},
	OtherType:    {text: "the upload is %s, but was declared as %s"},
	FileEmpty:    {text: "the file is empty"},
	FileTooLarge: {text: "the file has %d bytes; the limit of this step is %d"},
	TextGone:     {text: "the accepted text no longer exists"},

	NotText:        {text: "the content is not text: it looks like %s"},
	UnknownCharset: {text: "the content type declares the unknown charset %q"},
	TooManyWords:   {text: "the text has too many distinct words: with %d bytes of overhead each, they take more than %d bytes (ASSAY_VOCABULARY)"},

	DocumentMemory:  {text: "the document needs more memory than allowed"},
	DocumentCrashed: {text: "the document crashed its parser"},
	DocumentSlow:    {text: "the document takes longer than allowed"},
	DocumentLocked:  {text: "the document is password-protected"},
	DocumentDamaged: {text: "the document is damaged"},
	DocumentFormat:  {text: "the file is not an office document that can be read"},
	DocumentTooBig:  {text: "the document is too large"},
	NotPDF:          {text: "the document is not a PDF, or is damaged"},
	PDFPage:         {text: "the page of the document cannot be read"},
	PagesUnreadable: {text: "%d of %d pages cannot be read"},

	NeedsConverterForText:    {text: "the text of documents in formats before Office 2007, and of RTF, requires a converter, but none is configured (ASSAY_CONVERTER)"},
	NeedsConverterForPicture: {text: "the document contains no preview picture; drawing its first page requires a converter, but none is configured (ASSAY_CONVERTER)"},
	NoPicture:                {text: "thumbnails are not supported for %s"},
	NoPagePicture:            {text: "the page does not specify a picture"},
	UploadedPage:             {text: "the page was uploaded; pictures are fetched for imported pages only"},
	NotDrawn:                 {text: "none of the first records has coordinates, points or a cell to draw"},
	NotWorkbook:              {text: "only XLSX workbooks have records"},
	EmptyWorkbook:            {text: "the workbook has no rows"},
	RecordsLimit:             {text: "the file has %d records; the first %d are processed"},
	RepeatedStrings:          {text: "the cells of the workbook repeat too much text; the first %d rows are processed"},

	NotConverted:   {text: "the document cannot be converted"},
	ConverterAway:  {text: "the converter does not respond", temporary: true},
	EngineClosed:   {text: "the engine is closed", temporary: true},
	EngineNotReady: {text: "the engine is being compiled", temporary: true},
	EngineMissing:  {text: "the engine cannot be compiled", temporary: true},

	PageUnreadable: {text: "the page cannot be read"},
	PageAway:       {text: "the page cannot be fetched at the moment", temporary: true},
	PageAddress:    {text: "the URL uses an address or a port that is not allowed, or redirects too often"},
	PageTooLarge:   {text: "the response is larger than %d bytes"},
	PageNoServer:   {text: "there is no server named %s"},
	PageStatus:     {text: "the server responded with %d"},
	PageEmpty:      {text: "the response is empty"},
	PageType:       {text: "the content of the URL has the type %s; only %s are imported"},
	PageURLTooLong: {text: "the URL redirects to a URL with more than %d bytes"},

	PictureFormat:     {text: "the file is not a JPEG, PNG, WebP or HEIC picture"},
	PictureUnreadable: {text: "the picture cannot be read"},
	PictureTooLarge:   {text: "the picture is too large"},
	PictureTooSmall:   {text: "the picture is too small"},
	PictureAnimated:   {text: "the picture is animated; only still pictures are supported"},
	DrawingDamaged:    {text: "the picture is not SVG, or is damaged"},
	PreviewUnreadable: {text: "cannot read the picture of the document"},
	HeaderDamaged:     {text: "the header is damaged"},

	WorkbookLocked:  {text: "the workbook is password-protected"},
	WorkbookDamaged: {text: "the workbook is damaged, or is not an XLSX workbook"},
	FirstRow:        {text: "the first row cannot be read: %s"},
	NoRows:          {text: "the table has no rows"},
	NoRecords:       {text: "the file contains no records"},
	NoRecordType:    {text: "files of type %s have no records"},
	NoChunk:         {text: "the file has no chunk %s of records"},

	NoRecordRead:      {text: "no record can be read; the first error: %s"},
	RecordsFailed:     {text: "%d of %d records failed; the first, record %d: %s"},
	RecordsGone:       {text: "the bucket no longer contains the results of the records; retry the file"},
	MicroscopyPicture: {text: "the pixels of the microscopy file cannot be drawn"},

	ProviderUnreachable:   {text: "the provider cannot be reached", temporary: true},
	ProviderLost:          {text: "the connection to the provider was lost", temporary: true},
	ProviderSlow:          {text: "the provider did not respond in time", temporary: true},
	ProviderStatus:        {text: "the provider responded with %d", temporary: true},
	ProviderMessage:       {text: "the provider responded with %d: %s", temporary: true},
	ProviderAnswer:        {text: "the provider's response cannot be used", temporary: true},
	ProviderPolicy:        {text: "the provider rejected the photo or the prompt because of its content policy (%s)"},
	ProviderMissing:       {text: "the provider %q is not configured"},
	ProviderNoDescription: {text: "the provider cannot describe photos"},
	ProviderPrompt:        {text: "the prompt has %d words; the provider accepts at most %d"},
	ProviderAnswersLost:   {text: "the responses to %d calls for the step %s were lost"},
	CallNotMade:           {text: "the call was not made", temporary: true},
	PromptUnclear:         {text: "the prompt contains no known instruction"},
	PromptTooLong:         {text: "the prompt has too many steps"},

	FeedKeyRejected: {text: "the server rejected the API key"},
	FeedKeyMissing:  {text: "the environment variable %s for the API key is not set in ingest", temporary: true},
	FeedGone:        {text: "the server reports that the document is gone"},
	FeedMalformed:   {text: "the response cannot be parsed"},
	FeedTooLarge:    {text: "the response is too large"},
	FeedThrottled:   {text: "the server rejects requests at the moment", temporary: true},
	FeedStatus:      {text: "the server responded with %d", temporary: true},
	AddressBlocked:  {text: "the URL uses an address or a port that is not allowed, or redirects too often"},
	FeedUnreachable: {text: "the server cannot be reached, or it closed the connection", temporary: true},
	FeedSlow:        {text: "the server did not respond in time", temporary: true},
	FeedInterrupted: {text: "ingest stopped", temporary: true},
	FeedStore:       {text: "the items cannot be stored at the moment", temporary: true},
	FeedCrashed:     {text: "the poll crashed; this is a defect in Assay, not in the source", temporary: true},
	FeedMessage:     {text: "the server responded with %d (%s)", temporary: true},
	FeedReport:      {text: "the server reports: %s", temporary: true},
}

// Detail is a part of a sentence that a Reason can be completed with.
type Detail int

// The details.
const (
	BytesLimit Detail = iota
	PixelsLimit
	SidesLimit
	SidesMinimum
	HeaderStates
	IsEmpty
	MemoryLimit
	EncodingLimit
	MiB
	TimeLimit
	NoPages
	NoDirectory
	PartsLimit
	DirectoryLimit
	ElementLimit
	AttributesLimit
	RelationsLimit
	SlidesLimit
	SheetsLimit
	ScansLimit
	InflatedLimit
	PartRatio
	PartLimit
	NoPart
	NoSheets
	SharedLimit
	NameNotResolved
	NoResponseWithin
	Unreachable
	StatusCode
	PDFLimit
	NotAPDF
	BytesInstead
	StatusMessage
	Report
	MoreThan
	StepsLimit
	Instructions
	BlockedPort
	BlockedNetwork
)

// details contains the text of each Detail.
var details = [...]string{
	BytesLimit:       "%d bytes; the limit is %d",
	PixelsLimit:      "%d × %d pixels; the limit is %d pixels",
	SidesLimit:       "%d × %d pixels; the limit is %d for each side",
	SidesMinimum:     "%d × %d pixels; each side must have at least %d",
	HeaderStates:     "the header states %d × %d pixels",
	IsEmpty:          "the file is empty",
	MemoryLimit:      "processing it takes %d MB of memory; the limit is %d MB",
	EncodingLimit:    "its encoding exceeds %d bytes",
	MiB:              "%d MiB",
	TimeLimit:        "the limit is %s",
	NoPages:          "it has no pages",
	NoDirectory:      "its archive has no directory",
	PartsLimit:       "it has %d parts, and the maximum is %d",
	DirectoryLimit:   "its directory has more than %d bytes",
	ElementLimit:     "an element or text has more than %d bytes",
	AttributesLimit:  "an element has more than %d attributes",
	RelationsLimit:   "part %.100q has more than %d relations",
	SlidesLimit:      "its list of slides has more than %d bytes",
	SheetsLimit:      "its list of sheets has more than %d bytes",
	ScansLimit:       "it has %d scans; the limit is %d",
	InflatedLimit:    "it inflates to more than %d bytes",
	PartRatio:        "part %.100q inflates to more than %d times its size",
	PartLimit:        "part %.100q inflates to more than %d bytes",
	NoPart:           "it has no part %.100q",
	NoSheets:         "it has no sheets",
	SharedLimit:      "its shared strings have more than %d bytes",
	NameNotResolved:  "the name %s cannot be resolved",
	NoResponseWithin: "the server did not respond within %s",
	Unreachable:      "the server cannot be reached, or it closed the connection",
	StatusCode:       "the server responded with %d",
	PDFLimit:         "the PDF has more than %d bytes",
	NotAPDF:          "the converter returned no PDF",
	BytesInstead:     "%d bytes instead of %d",
	StatusMessage:    "the server responded with %d (%s)",
	Report:           "the server reports: %s",
	MoreThan:         "more than %d bytes",
	StepsLimit:       "it has %d, and the maximum is %d",
	BlockedPort:      "the port of %s; allow it with %s, or its network with %s",
	BlockedNetwork:   "%s is not public; allow its network with %s",
	Instructions:     "%s; supported instructions: %s",
}
