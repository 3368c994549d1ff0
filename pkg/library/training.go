package library

import (
	"encoding/json"
	"fmt"

	"github.com/assay-project/assay/pkg/extract"
)

// The types of files that the library makes itself. Their content is a request, in JSON, which an upload cannot state.
const (
	// ModelType is the type of a model that is trained on the records of a file. Its content is a TrainingRequest.
	ModelType extract.Type = "Model"
	// PredictionType is the type of a file with the records of another file, or of a request, and the predictions of a model
	// for them. Its content is a PredictionRequest.
	PredictionType extract.Type = "Prediction"
)

// Steps of a model, in this order.
const (
	StepOptimize = "optimize" // chooses the kind of model and its parameters by cross-validation
	StepTrain    = "train"    // fits the chosen model to all examples
	StepReport   = "report"   // describes the model
)

// The methods of the steps of models and predictions.
const (
	Optimization extract.Method = "choice of a model"
	Training     extract.Method = "training of a model"
	Reporting    extract.Method = "report of a model"
	Predicting   extract.Method = "records to predict"
)

// RequestMedia is the media type of the content of models and predictions.
const RequestMedia = "application/json"

// Names of the results of a model's steps.
const (
	ChoiceName     = "choice.json" // of StepOptimize
	ModelName      = "model.bin"   // of StepTrain
	ReportName     = "report.json" // of StepReport, as well as ReportPageName
	ReportPageName = "report.html"
)

// TrainedName is the name of the result of a prediction that states its model and its source, as a Trained in JSON.
const TrainedName = "trained.json"

// TrainingRequest states what a model is trained on.
type TrainingRequest struct {
	FileID string `json:"fileId"`
	Column string `json:"column"` // name of a column of the file's records
	Seed   uint64 `json:"seed"`
}

// PredictionRequest states what a model predicts: the records of a file, or records of the request.
type PredictionRequest struct {
	ModelID string            `json:"modelId"`
	FileID  string            `json:"fileId,omitempty"`
	Records []json.RawMessage `json:"records,omitempty"` // JSON objects with the values of fields
}

// Trained identifies the model of predictions, and the records that they are for.
type Trained struct {
	ModelID  string `json:"modelId"`
	Name     string `json:"modelName"`
	Version  int64  `json:"modelVersion"` // the run that trained the model
	Column   string `json:"column"`
	FileID   string `json:"fileId,omitempty"`
	FileName string `json:"fileName,omitempty"`
	FileRun  int64  `json:"fileVersion,omitempty"`
}

// MaxPredicted is the maximum number of records in a PredictionRequest.
const MaxPredicted = 1_000

// Derived reports whether files of a type are made by the library, so that their content does not determine the type.
func Derived(t extract.Type) bool { return t == ModelType || t == PredictionType }

// FormatOf returns the format of the files of a type, also of those that the library makes itself.
func FormatOf(t extract.Type) extract.Format {
	switch t {
	case ModelType:
		return extract.Format{
			Type: ModelType, Title: "Model", Preview: extract.PreviewNone, Sequential: true,
			Steps: []extract.Step{
				{Name: StepOptimize, Class: extract.ClassTraining, Required: true, Method: Optimization},
				{Name: StepTrain, Class: extract.ClassTraining, Required: true, Method: Training},
				{Name: StepReport, Class: extract.ClassTraining, Required: true, Method: Reporting},
			},
		}
	case PredictionType:
		return extract.Format{
			Type: PredictionType, Title: "Predictions", Preview: extract.PreviewRows,
			Steps: []extract.Step{{Name: extract.StepParse, Class: extract.ClassRecords, Required: true, Method: Predicting}},
		}
	}
	return extract.Of(t)
}

// kindOf returns the kind of the node of a file.
func kindOf(t extract.Type) Kind {
	if t == ModelType {
		return KindModel
	}
	return KindFile
}

// WorkflowTypeOf returns the type of the workflow of a file.
func WorkflowTypeOf(t extract.Type) string {
	switch t {
	case ModelType:
		return TrainingWorkflow
	case PredictionType:
		return PredictionWorkflow
	}
	return FileWorkflow
}

// ModelNameOf returns the default name of a model.
func ModelNameOf(column, file string) string { return PlainName(fmt.Sprintf("%s of %s", column, file)) }
