package textfile

import "time"

// FileView is a file as the HTTP API shows it.
type FileView struct {
	FileID       string      `json:"fileId" format:"uuid"`
	OwnerID      string      `json:"ownerId,omitempty" doc:"only for the owner, because it acts as a credential"`
	FileName     string      `json:"fileName" doc:"as given by the client"`
	Size         int64       `json:"size,omitempty" doc:"bytes of the file, unless it is empty; without a size in the request for the upload, only when COMPLETED, and not in lists without counts"`
	Status       string      `json:"status" enum:"PENDING,IN_PROGRESS,COMPLETED,FAILED"`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt" doc:"when the status last changed"`
	UploadedAt   time.Time   `json:"uploadedAt,omitzero" doc:"time at which the content of a PENDING file was uploaded, if it was; absent in lists"`
	Result       *Result     `json:"result,omitempty" doc:"only when COMPLETED; omitted in lists and in responses to writes"`
	ErrorMessage string      `json:"errorMessage,omitempty" doc:"only when FAILED"`
	Charset      string      `json:"charset,omitempty" doc:"the charset that the last retry stated; the result says which one was used"`
	Counts       *WordTotals `json:"counts,omitempty" doc:"only in lists that ask for them, of COMPLETED files"`
}

// WordTotals is the part of a result that lists show.
type WordTotals struct {
	TotalWords  int64 `dynamodbav:"totalWords" json:"totalWords" doc:"words in the text"`
	UniqueWords int64 `dynamodbav:"uniqueWords" json:"uniqueWords" doc:"different words, compared in lower case"`
	Size        int64 `dynamodbav:"size" json:"-"` // the view of the file has it
}

// ViewFor returns the file as the HTTP API shows it to every caller that knows its id. Only the
// owner sees its own id.
func (f File) ViewFor(caller string) FileView {
	v := f.View()
	if caller != f.OwnerID {
		v.OwnerID = ""
	}
	return v
}

// View returns the file as the HTTP API shows it to its owner.
func (f File) View() FileView {
	if f.Status != Completed {
		f.Result = nil // of an analysis that is repeated
	}
	size := max(0, f.Size())
	if size == 0 && f.Result != nil {
		size = f.Result.Size
	}
	return FileView{
		FileID: f.FileID, OwnerID: f.OwnerID, FileName: f.FileName, Size: size, Status: string(f.Status),
		CreatedAt: f.Created(), UpdatedAt: f.Updated(), Result: f.Result, ErrorMessage: f.ErrorMessage, Charset: f.Charset,
	}
}
