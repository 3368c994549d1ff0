package reason

// The sentences, by subject. Verbs are replaced by Fill.
const (
	Unknown Reason = "the content cannot be processed"

	AnalysisFailed  Temporary = "the analysis did not succeed in %s"
	AnalysisLate    Temporary = "the analysis took longer than %s in %s"
	AnalysisCrashed Temporary = "the analysis crashed in %s; this is a defect in Assay, not in the content"
	AnalysisLost    Temporary = "gave up after %s; in the last one, the worker died or lost its connection"
	AnalysisNewer   Temporary = "the work requires a newer version of Assay, and no process of that version has done it"
	ResultRejected  Reason    = "the result cannot be stored; this is a defect in Assay, not in the content"

	BytesGone    Reason = "the bucket no longer contains the bytes of the file"
	UploadGone   Reason = "the uploaded object no longer exists"
	NoBytes      Reason = "the content is not in the bucket"
	OtherBytes   Reason = "the content does not match the reservation"
	OtherSize    Reason = "the upload does not have the reserved size of %d bytes"
	PhotoFormat  Reason = "the file is not a photo of a supported format: it was declared as %s, and its content is %s"
	FileEmpty    Reason = "the file is empty"
	FileTooLarge Reason = "the file has %d bytes; the limit of this step is %d"
	TextGone     Reason = "the accepted text no longer exists"

	PagesUnreadable          Reason = "%d of %d pages cannot be read"
	NeedsConverterForText    Reason = "the text of documents in formats before Office 2007, and of RTF, requires a converter, but none is configured (ASSAY_CONVERTER)"
	NeedsConverterForPicture Reason = "the document contains no preview picture; drawing its first page requires a converter, but none is configured (ASSAY_CONVERTER)"
	PageBlank                Reason = "the first page is blank: its text is invisible, or the document does not contain its fonts"
	NoPicture                Reason = "thumbnails are not supported for %s"
	NoPagePicture            Reason = "the page does not specify a picture"
	UploadedPage             Reason = "the page was uploaded; pictures are fetched for imported pages only"
	NotDrawn                 Reason = "none of the first records has coordinates, points or a cell to draw"
	NotWorkbook              Reason = "only XLSX workbooks have records"
	EmptyWorkbook            Reason = "the workbook has no rows"
	RecordsLimit             Reason = "the file has %d records; the first %d are processed"
	RepeatedStrings          Reason = "the cells of the workbook repeat too much text; the first %d rows are processed"

	PageUnavailable Temporary = "the page cannot be fetched at the moment"
	PageTooLarge    Reason    = "the response is larger than %d bytes"
	PageNoServer    Reason    = "there is no server named %s"
	PageStatus      Reason    = "the server responded with %d"
	PageEmpty       Reason    = "the response is empty"
	PageType        Reason    = "the content of the URL has the type %s; only %s are imported"
	PageURLTooLong  Reason    = "the URL redirects to a URL with more than %d bytes"

	NoText          Reason = "the document contains no text"
	NoDisplayedText Reason = "the page contains no text to display"
	NoScripts       Reason = "the page contains no text to display; its scripts, which may add text, are not run"
	PageRefers      Reason = "the page contains no text to display; it refers to %.200s"

	PreviewUnreadable Reason = "cannot read the picture of the document"

	NoRows            Reason = "the table has no rows"
	NoRecords         Reason = "the file contains no records"
	NoRecordType      Reason = "files of type %s have no records"
	NoChunk           Reason = "the file has no chunk %s of records"
	NoRecordRead      Reason = "no record can be read; the first error: %s"
	RecordsFailed     Reason = "%d of %d records failed; the first, record %d: %s"
	RecordsGone       Reason = "the bucket no longer contains the results of the records; retry the file"
	MicroscopyPicture Reason = "the pixels of the microscopy file cannot be drawn"

	SourceGone    Reason = "the file with the records was deleted"
	SourceChanged Reason = "the file with the records was processed again meanwhile; retry"
	ColumnUnfit   Reason = "the column cannot be predicted: %s"
	FewExamples   Reason = "the %d examples are too few, or too alike, for %d folds"
	NoModel       Reason = "no kind of model can be fitted to the records"
	ModelGone     Reason = "the model was deleted"
	ModelChanged  Reason = "the model was trained again meanwhile; retry"
	NoFeatures    Reason = "the records have none of the columns that the model uses: %s"
	NoStructures  Reason = "the model uses the structures of molecules, and the records have none that RDKit can read"
	NotPlainValue Reason = "the value of %s is not a text, a number or a boolean"

	ProviderUnreachable   Temporary = "the provider cannot be reached"
	ProviderLost          Temporary = "the connection to the provider was lost"
	ProviderSlow          Temporary = "the provider did not respond in time"
	ProviderStatus        Temporary = "the provider responded with %d"
	ProviderMessage       Temporary = "the provider responded with %d: %s"
	ProviderAnswer        Temporary = "the provider's response cannot be used"
	ProviderPolicy        Reason    = "the provider rejected the photo or the prompt because of its content policy (%s)"
	ProviderMissing       Reason    = "the provider %q is not configured"
	ProviderNoDescription Reason    = "the provider cannot describe photos"
	ProviderPrompt        Reason    = "the prompt has %d words; the provider accepts at most %d"
	ProviderAnswersLost   Reason    = "the responses to %d calls for the step %s were lost"
	CallNotMade           Temporary = "the call was not made"
	PhotoNotUploaded      Reason    = "the photo was not uploaded in time"

	FeedKeyRejected Reason    = "the server rejected the API key"
	FeedKeyMissing  Temporary = "the environment variable %s for the API key is not set in ingest"
	FeedGone        Reason    = "the server reports that the document is gone"
	FeedMalformed   Reason    = "the response cannot be parsed"
	FeedTooLarge    Reason    = "the response is too large"
	FeedDamaged     Reason    = "the document is damaged or cut off; only its whole entries were read"
	FeedThrottled   Temporary = "the server rejects requests at the moment"
	FeedStatus      Temporary = "the server responded with %d"
	AddressBlocked  Reason    = "the URL uses an address or a port that is not allowed, or redirects too often"
	FeedUnreachable Temporary = "the server cannot be reached, or it closed the connection"
	FeedSlow        Temporary = "the server did not respond in time"
	FeedInterrupted Temporary = "ingest stopped"
	FeedStore       Temporary = "the items cannot be stored at the moment"
	FeedCrashed     Temporary = "the poll crashed; this is a defect in Assay, not in the source"
	FeedMessage     Temporary = "the server responded with %d (%s)"
	FeedReport      Temporary = "the server reports: %s"
)

// The details.
const (
	EncodingLimit    Detail = "its encoding exceeds %d bytes"
	NoSheets         Detail = "it has no sheets"
	SharedLimit      Detail = "its shared strings have more than %d bytes"
	NameNotResolved  Detail = "the name %s cannot be resolved"
	NoResponseWithin Detail = "the server did not respond within %s"
	Unreachable      Detail = "the server cannot be reached, or it closed the connection"
	StatusCode       Detail = "the server responded with %d"
	BytesInstead     Detail = "%d bytes instead of %d"
	StatusMessage    Detail = "the server responded with %d (%s)"
	Report           Detail = "the server reports: %s"
	MoreThan         Detail = "more than %d bytes"
	BlockedPort      Detail = "the port of %s; allow it with %s, or its network with %s"
	BlockedNetwork   Detail = "%s is not public; allow its network with %s"
)

// sentences contains every Reason and Temporary.
var sentences = []error{
	Unknown,
	AnalysisFailed, AnalysisLate, AnalysisCrashed, AnalysisLost, AnalysisNewer, ResultRejected,
	BytesGone, UploadGone, NoBytes, OtherBytes, OtherSize, PhotoFormat, FileEmpty, FileTooLarge, TextGone,
	PagesUnreadable, NeedsConverterForText, NeedsConverterForPicture, PageBlank, NoPicture, NoPagePicture, UploadedPage, NotDrawn,
	NotWorkbook, EmptyWorkbook, RecordsLimit, RepeatedStrings,
	PageUnavailable, PageTooLarge, PageNoServer, PageStatus, PageEmpty, PageType, PageURLTooLong,
	NoText, NoDisplayedText, NoScripts, PageRefers,
	PreviewUnreadable,
	NoRows, NoRecords, NoRecordType, NoChunk, NoRecordRead, RecordsFailed, RecordsGone, MicroscopyPicture,
	SourceGone, SourceChanged, ColumnUnfit, FewExamples, NoModel, ModelGone, ModelChanged, NoFeatures, NoStructures, NotPlainValue,
	ProviderUnreachable, ProviderLost, ProviderSlow, ProviderStatus, ProviderMessage, ProviderAnswer, ProviderPolicy,
	ProviderMissing, ProviderNoDescription, ProviderPrompt, ProviderAnswersLost, CallNotMade, PhotoNotUploaded,
	FeedKeyRejected, FeedKeyMissing, FeedGone, FeedMalformed, FeedTooLarge, FeedDamaged, FeedThrottled, FeedStatus, AddressBlocked,
	FeedUnreachable, FeedSlow, FeedInterrupted, FeedStore, FeedCrashed, FeedMessage, FeedReport,
}

// details contains every Detail.
var details = []Detail{
	EncodingLimit, NoSheets, SharedLimit, NameNotResolved, NoResponseWithin, Unreachable, StatusCode, BytesInstead,
	StatusMessage, Report, MoreThan, BlockedPort, BlockedNetwork,
}
