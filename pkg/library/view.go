package library

import (
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract"
)

// NodeView is a node as the HTTP API shows it.
type NodeView struct {
	ID           string           `json:"id" format:"uuid"`
	Type         string           `json:"type" enum:"User,Folder,File,Record,Model"`
	SubType      extract.Type     `json:"subType,omitempty" doc:"workflow type of a file" example:"Image"`
	Kind         string           `json:"kind,omitempty" doc:"name of the type of a file for people" example:"Image"`
	Preview      extract.Preview  `json:"preview,omitempty" enum:"none,picture,text,document,article,rows,drawings,curves" doc:"how a program shows a file: as its picture, its text, the first page and the text, the text with the properties of a web page, a table of its records, or drawings of its records, which need much space for curves"`
	Name         string           `json:"name"`
	DisplayName  string           `json:"displayName,omitempty"`
	FirstName    string           `json:"firstName,omitempty" doc:"name of the owner; like the next four fields, only on the owner's root and only for the owner"`
	LastName     string           `json:"lastName,omitempty"`
	LoginName    string           `json:"loginName,omitempty"`
	Email        string           `json:"email,omitempty"`
	Avatar       string           `json:"avatar,omitempty" doc:"the URL of a picture"`
	OwnedBy      string           `json:"ownedBy,omitempty" doc:"only for the owner"`
	ParentID     string           `json:"parentId,omitempty" format:"uuid" doc:"absent in the trash; the id of a root is only for its owner"`
	TrashedFrom  string           `json:"trashedFrom,omitempty" format:"uuid" doc:"the folder to which a restore returns the node"`
	Status       string           `json:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
	Trashed      bool             `json:"trashed"`
	TrashedAt    *time.Time       `json:"trashedAt,omitempty"`
	Length       *int64           `json:"length,omitempty" doc:"size of a file in bytes"`
	MD5          string           `json:"md5,omitempty"`
	Images       []ImageView      `json:"images,omitempty"`
	TotalRecords int64            `json:"totalRecords,omitempty"`
	Permissions  *PermissionsView `json:"permissions,omitempty" doc:"only for the owner"`
	ErrorMessage string           `json:"errorMessage,omitempty" doc:"why a file is Failed, or what is missing from a ProcessedPartially one; absent in search hits"`
	Version      int64            `json:"version" doc:"0 for a root that was never written"`
	CreatedAt    *time.Time       `json:"createdAt,omitempty"`
	UpdatedAt    *time.Time       `json:"updatedAt,omitempty"`
}

// ImageView is a picture of a file.
type ImageView struct {
	ID       string `json:"id" example:"300"`
	Width    int    `json:"width" doc:"pixels"`
	Height   int    `json:"height" doc:"pixels"`
	MimeType string `json:"mimeType"`
	Length   int64  `json:"length" doc:"bytes"`
}

// PermissionsView lists who, besides its owner, may read a node.
type PermissionsView struct {
	IsPublic bool     `json:"isPublic"`
	Users    []string `json:"users"`
	Groups   []string `json:"groups"`
}

// View returns the node as the HTTP API shows it to a caller. Only the owner sees the owner's id and the id of the root,
// which is derived from it, the original folder of a trashed node, and the permissions. Object keys are omitted.
func (n Node) View(c Caller) NodeView {
	v := NodeView{
		ID: n.ID, Type: string(n.Type), SubType: n.SubType, Name: n.Name, DisplayName: n.DisplayName,
		Status: string(n.Status), Trashed: n.IsDeleted, TotalRecords: n.TotalRecords, Version: n.Version,
		CreatedAt: at(n.CreatedAt), UpdatedAt: at(n.UpdatedAt),
	}
	if !n.IsDeleted && (c.Owner == n.OwnedBy || !n.InRoot()) {
		v.ParentID = n.ParentID
	}
	if n.IsFile() {
		f := FormatOf(n.SubType)
		v.Kind, v.Preview = f.Title, f.Preview
	}
	if n.Blob != nil && n.Blob.Length >= 0 {
		v.Length, v.MD5 = &n.Blob.Length, n.Blob.MD5
	}
	for _, i := range n.Images {
		v.Images = append(v.Images, ImageView{ID: i.ID, Width: i.Width, Height: i.Height, MimeType: i.MimeType, Length: i.Length})
	}
	if c.Owner == n.OwnedBy {
		v.FirstName, v.LastName, v.LoginName, v.Email, v.Avatar = n.FirstName, n.LastName, n.LoginName, n.Email, n.Avatar
		v.OwnedBy, v.TrashedFrom, v.TrashedAt = n.OwnedBy, n.TrashedFrom, at(n.DeletedAt)
		p := n.Permissions.View()
		v.Permissions = &p
	}
	return v
}

// View returns the permissions as the HTTP API shows them to the owner.
func (p Permissions) View() PermissionsView {
	return PermissionsView{IsPublic: p.IsPublic, Users: append([]string{}, p.Users...), Groups: append([]string{}, p.Groups...)}
}

// WorkflowView is the workflow of a file as the HTTP API shows it.
type WorkflowView struct {
	FileID         string     `json:"fileId"`
	Type           string     `json:"type" enum:"File,Training,Prediction"`
	TrainingID     string     `json:"trainingId,omitempty" format:"uuid" doc:"id of the model that the workflow trains"`
	Run            int64      `json:"run" doc:"incremented by every retry and reprocessing"`
	State          string     `json:"state" enum:"Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
	FailureMessage string     `json:"failureMessage,omitempty"`
	Steps          []StepView `json:"steps" doc:"steps of the workflow; the steps chunk/00000 and so on, which process records, are listed only if they failed"`
	Chunks         *StepCount `json:"chunks,omitempty" doc:"number of the steps chunk/00000 and so on in each state; a step processes up to 1,000 records"`
	Deadline       *time.Time `json:"deadline,omitempty" doc:"absent when the workflow has ended"`
	UpdatedAt      *time.Time `json:"updatedAt,omitempty"`
}

// OperationView is the erasure of a folder as the HTTP API shows it to the owner.
type OperationView struct {
	ID        string     `json:"id" format:"uuid"`
	NodeID    string     `json:"nodeId"`
	State     string     `json:"state" enum:"Processing,Processed" doc:"Processed when the folder is erased; its content is deleted shortly after"`
	StartedAt *time.Time `json:"startedAt,omitempty"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty"`
}

// Operation returns an EraseWorkflow as the HTTP API shows it.
func (w Workflow) Operation() OperationView {
	return OperationView{
		ID: w.CorrelationID, NodeID: w.FileID, State: string(w.CurrentState), StartedAt: at(w.CreatedAt), UpdatedAt: at(w.UpdatedAt),
	}
}

// FileView is a file as the HTTP API shows it to operators.
type FileView struct {
	ID           string       `json:"id" format:"uuid"`
	OwnedBy      string       `json:"ownedBy"`
	ParentID     string       `json:"parentId"`
	FileName     string       `json:"fileName"`
	Type         extract.Type `json:"type" doc:"workflow type" example:"Image"`
	Status       string       `json:"status"`
	Bucket       string       `json:"bucket"`
	Key          string       `json:"key"`
	BlobID       string       `json:"blobId"`
	Length       int64        `json:"length" doc:"size in bytes; -1 while a streamed upload is Loading"`
	MD5          string       `json:"md5,omitempty"`
	Trashed      bool         `json:"trashed"`
	Run          int64        `json:"run"`
	ErrorMessage string       `json:"errorMessage,omitempty"`
	Version      int64        `json:"version"`
	CreatedAt    *time.Time   `json:"createdAt,omitempty"`
	UpdatedAt    *time.Time   `json:"updatedAt,omitempty"`
}

// View returns the file as the HTTP API shows it to operators.
func (f File) View() FileView {
	return FileView{
		ID: f.ID, OwnedBy: f.OwnedBy, ParentID: f.ParentID, FileName: f.Name, Type: f.Type, Status: string(f.Status),
		Bucket: f.Bucket, Key: f.Key, BlobID: f.BlobID, Length: f.Length, MD5: f.MD5, Trashed: f.IsDeleted, Run: f.Run,
		ErrorMessage: f.ErrorMessage, Version: f.Version, CreatedAt: at(f.CreatedAt), UpdatedAt: at(f.UpdatedAt),
	}
}

// StepView is a step of a workflow.
type StepView struct {
	ID       string `json:"id" example:"thumbnails"`
	State    string `json:"state" enum:"open,done,failed,skipped"`
	Reason   string `json:"reason,omitempty" doc:"why the step failed or was skipped, or what is missing from its result"`
	Attempts int    `json:"attempts"`
	MS       int64  `json:"ms" doc:"duration of the last attempt in milliseconds"`
	Engine   string `json:"engine,omitempty" doc:"program that executed the step, with its version"`
}

// StepCount is the number of steps of one kind in each state.
type StepCount struct {
	Total  int `json:"total"`
	Open   int `json:"open"`
	Done   int `json:"done"`
	Failed int `json:"failed"`
}

// View returns the workflow of a file as the HTTP API shows it, with its steps sorted by id.
func (w Workflow) View() WorkflowView {
	v := WorkflowView{
		FileID: w.FileID, Type: w.WorkflowType, TrainingID: w.TrainingID, Run: w.Run, State: string(w.CurrentState), FailureMessage: w.FailureMessage,
		Steps: []StepView{}, UpdatedAt: at(w.UpdatedAt),
	}
	if !w.Final() {
		v.Deadline = at(w.Deadline)
	}
	var chunks StepCount
	for _, set := range []struct {
		state string
		steps []string
		count *int
	}{{"open", w.StepsOpen, &chunks.Open}, {"done", w.StepsDone, &chunks.Done}, {"failed", w.StepsFailed, &chunks.Failed}, {"skipped", w.StepsSkipped, &chunks.Done}} {
		for _, id := range set.steps {
			if _, chunk := ParseChunkStep(id); chunk {
				chunks.Total++
				*set.count++
				if set.state != "failed" {
					continue
				}
			}
			r := w.StepResults[id]
			v.Steps = append(v.Steps, StepView{ID: id, State: set.state, Reason: r.Reason, Attempts: r.Attempts, MS: r.MS, Engine: r.Engine})
		}
	}
	if chunks.Total > 0 {
		v.Chunks = &chunks
	}
	planned := PlanOf(w.FileWorkflowType)
	slices.SortFunc(v.Steps, func(a, b StepView) int {
		if planned.Sequential {
			return slices.Index(planned.Names(), a.ID) - slices.Index(planned.Names(), b.ID)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return v
}

// at parses a time of an item. It returns nil if the time is absent or malformed.
func at(text string) *time.Time {
	t, err := time.Parse(TimeLayout, text)
	if err != nil {
		return nil
	}
	return &t
}

// when is like at, but returns the zero time instead of nil.
func when(text string) time.Time {
	if t := at(text); t != nil {
		return *t
	}
	return time.Time{}
}
