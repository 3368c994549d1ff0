package extract

// Step is a step of processing a file.
type Step struct {
	Name     string
	Class    Class
	Required bool   // a failure of the step fails the file
	Method   Method // how the step reads the file
}

// Names of steps. StepParse finds the records of a file, and further steps process them. StepRecords does both, for a file
// that also contains other content.
const (
	StepParse      = "parse"
	StepRecords    = "records"
	StepThumbnails = "thumbnails"
	StepMetadata   = "metadata"
	StepText       = "text"
)

// Class is a class of resources. Steps of one class wait for each other, and never for those of another class.
type Class string

// The classes.
const (
	ClassLight   Class = "light"
	ClassRender  Class = "render"  // decodes pictures
	ClassEngine  Class = "engine"  // always needs an engine for documents or drawings
	ClassRecords Class = "records" // reads all records of a file
	ClassFetch   Class = "fetch"   // waits for external servers, which may be slow

	ClassTraining Class = "training" // uses all processors for minutes
)

// Method is a way to read files. Types can share it.
type Method string

// The methods.
const (
	Digests           Method = "digests" // media type, length and digests of any file
	PictureTags       Method = "picture tags"
	PictureThumbnails Method = "picture thumbnails"
	MicroscopyHeader  Method = "microscopy header"
	PDFText           Method = "PDF text"
	PDFThumbnails     Method = "PDF thumbnails"
	PDFProperties     Method = "PDF properties"
	OfficeText        Method = "office text"
	OfficeThumbnails  Method = "office thumbnails"
	OfficeProperties  Method = "office properties"
	WorkbookRows      Method = "workbook rows"
	PageText          Method = "page text"
	PagePicture       Method = "page picture"
	PlainText         Method = "plain text"
	TableRows         Method = "table rows"
	TableText         Method = "table text"
	RecordBoundaries  Method = "record boundaries"
	RecordText        Method = "record text"
	RecordThumbnails  Method = "record thumbnails"
)
