package library

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
)

// Area describes the library area.
func Area(cfg Config) area.Area {
	step := NewStep(&event.LibraryStep{FileId: "{fileId}"})
	step.Subject = stepSubject + "{class}.{fileId}.{run}.{step}"
	changed := Node{ID: "{nodeId}"}.Changed(ChangeCreated, Node{})
	progress := Workflow{FileID: "{fileId}"}.Progress()
	return area.Area{
		Name: Name, Machine: Machine(), Objects: ObjectPrefix, Work: Work(), Log: Nodes(), Signals: ProgressSubjects, Consumers: consumers(), Uploaded: uploaded,
		Events:  []event.Event{step, changed, progress},
		Storage: area.Storage{Tables: Tables(cfg), Access: access(cfg)},
	}
}

const (
	// WorkStream is the stream of LibraryStep events.
	WorkStream = "ASSAY_WORK_LIBRARY"
	// NodeStream is the stream of NodeChanged events.
	NodeStream = "ASSAY_LIBRARY_NODES"

	stepSubject     = "assay.library.step."
	nodeSubject     = "assay.library.node."
	progressSubject = "assay.library.progress."
)

// Steps that are not listed in plans. StepStart makes a Loading file Loaded and publishes the open steps of a
// Loaded file. StepFinish ends a workflow that has no open steps. StepErase removes a node that Store.Erase has
// hidden.
const (
	StepStart  = plan.Start
	StepFinish = plan.Finish
	StepErase  = "erase"
)

// Work describes the stream of LibraryStep events.
func Work() bus.Work {
	return bus.Work{Stream: WorkStream, Subjects: stepSubject + ">", Item: workedOn}
}

// workedOn returns the id of the file of a step, or "" for StepErase, which has no outcome.
func workedOn(subject string) string {
	if file, step, ok := ParseStepSubject(subject); ok && step != StepErase {
		return file
	}
	return ""
}

// StepSubjects returns the filter for the steps of one class.
func StepSubjects(class extract.Class) string { return stepSubject + string(class) + ".>" }

// StepsOf returns the filter for the steps of one file.
func StepsOf(fileID string) string { return stepSubject + "*." + fileID + ".>" }

const (
	// NodeSubjects matches the NodeChanged events of all nodes.
	NodeSubjects = nodeSubject + ">"
	// ProgressSubjects matches the LibraryProgress events of all files.
	ProgressSubjects = progressSubject + ">"
)

// Nodes describes the stream of NodeChanged events.
func Nodes() bus.Log {
	return bus.Log{Stream: NodeStream, Subjects: NodeSubjects, Description: "changes of the nodes of libraries"}
}

// Consumer returns the name of the consumer of one class of steps.
func Consumer(class extract.Class) string { return "analyzer-library-" + string(class) }

func consumers() []string {
	return []string{Consumer(extract.ClassLight), Consumer(extract.ClassRender), Consumer(extract.ClassEngine), Consumer(extract.ClassRecords), Consumer(extract.ClassFetch), Consumer(extract.ClassTraining)}
}

// NewStep returns the event for d. Its id is library.step/<fileId>/<run>/<step>. The subject includes the run, so
// that a message of an earlier run does not count for this one.
func NewStep(d *event.LibraryStep) event.Event {
	run := strconv.FormatInt(int64(d.Run), 10)
	return event.Event{
		ID:      fmt.Sprintf("library.step/%s/%s/%s", d.FileId, run, d.Step),
		Subject: stepSubject + strings.Join([]string{d.Class, d.FileId, run, d.Step}, "."),
		Item:    d.FileId, Owner: d.OwnerId, Tenant: d.OwnerId, Time: d.StartedAt.AsTime(), Data: d,
	}
}

// ParseStepSubject returns the file id and the step in the subject of an event from NewStep. ok is false for other
// subjects.
func ParseStepSubject(subject string) (fileID, step string, ok bool) {
	rest, ours := strings.CutPrefix(subject, stepSubject)
	parts := strings.Split(rest, ".") // class, file, run, step
	if !ours || len(parts) != 4 {
		return "", "", false
	}
	return parts[1], parts[3], true
}

// Step returns the event of an open step of the workflow's run, or of StepFinish. f is the file of the workflow.
func (w Workflow) Step(f File, step string) event.Event {
	d := f.step(step)
	d.Run = float64(w.Run)
	if began := at(w.CreatedAt); began != nil {
		d.StartedAt = timestamppb.New(*began)
	}
	return NewStep(d)
}

// Erase returns the StepErase event of an EraseWorkflow. Its file id is the id of the node, which can be a folder.
func (w Workflow) Erase() event.Event {
	d := &event.LibraryStep{
		FileId: w.FileID, OwnerId: w.UserID, Step: StepErase, Class: string(extract.ClassLight), Run: float64(w.Run), Bucket: w.Bucket, Key: w.Key,
	}
	if began := at(w.CreatedAt); began != nil {
		d.StartedAt = timestamppb.New(*began)
	}
	return NewStep(d)
}

// EraseFirst returns the StepErase event of a node in a folder that is being erased, before Store.Erase is called. Its
// handler calls Store.Erase too, so that a crash between the two loses nothing.
func (n Node) EraseFirst() event.Event { return Workflow{FileID: n.ID, UserID: n.OwnedBy}.Erase() }

// Start returns the StepStart event of a file. etag is the entity tag of the stored content; it is empty if the
// content has yet to be fetched.
func (f File) Start(etag string) event.Event {
	f.ETag = etag
	return NewStep(f.step(StepStart))
}

func (f File) step(step string) *event.LibraryStep {
	class := PlanOf(f.Type).Class(step)
	if step == StepStart && f.Origin != "" {
		class = extract.ClassFetch
	}
	o := f.Stated()
	d := &event.LibraryStep{
		FileId: f.ID, OwnerId: f.OwnedBy, Step: step, Class: string(class), Run: float64(f.Run), Type: string(f.Type), FileName: f.Name,
		Bucket: f.Bucket, Key: f.Key, Etag: f.ETag, Size: float64(f.Length), ContentType: o.ContentType(f.ContentType), Origin: f.Origin,
		TableHeader: o.Header, TableDelimiter: o.Delimiter, TableDecimal: o.Decimal,
	}
	if created := at(f.CreatedAt); created != nil {
		d.StartedAt = timestamppb.New(*created)
	}
	return d
}

// Progress returns the event with the progress of the workflow.
func (w Workflow) Progress() event.Event {
	d := &event.LibraryProgress{
		FileId: w.FileID, OwnerId: w.UserID, Run: float64(w.Run), Status: string(w.CurrentState), UpdatedAt: timestamppb.New(w.Updated()),
		Open: float64(len(w.StepsOpen)), Done: float64(len(w.StepsDone)), Failed: float64(len(w.StepsFailed)), Skipped: float64(len(w.StepsSkipped)),
	}
	return event.Event{
		ID: fmt.Sprintf("library.progress/%s/%d/%d", w.FileID, w.Run, w.Version), Subject: progressSubject + w.FileID,
		Item: w.FileID, Owner: w.UserID, Time: w.Updated(), Data: d,
	}
}

// Kinds of NodeChanged.
const (
	ChangeCreated = "created"
	ChangeUpdated = "updated"
	ChangeDeleted = "deleted"
)

// Changed returns the NodeChanged event of a node in its current version, or in its last version if it was deleted.
// The event's id is library.node/<nodeId>/<created>/<version>, with the time of creation in epoch milliseconds, followed by
// /deleted for a deleted node. before is the previous version, or the zero Node.
func (n Node) Changed(change string, before Node) event.Event {
	d := &event.NodeChanged{
		NodeId: n.ID, Change: change, OwnerId: n.OwnedBy, Type: string(n.Type), SubType: string(n.SubType), Name: n.Name, Status: string(n.Status),
		Trashed: n.IsDeleted, Version: float64(n.Version),
		IsPublic: n.Permissions.IsPublic, Users: n.Permissions.Users, Groups: n.Permissions.Groups, Run: float64(n.Run),
	}
	if !n.IsDeleted {
		d.ParentId = n.ParentID
	}
	if !before.IsDeleted && before.ParentID != n.ParentID {
		d.PreviousParentId = before.ParentID
	}
	if before.Name != n.Name {
		d.PreviousName = before.Name
	}
	if n.Blob != nil && n.Blob.Length > 0 {
		d.Length = float64(n.Blob.Length)
	}
	if created := at(n.CreatedAt); created != nil {
		d.CreatedAt = timestamppb.New(*created)
	}
	if changed := at(n.UpdatedAt); changed != nil {
		d.ChangedAt = timestamppb.New(*changed)
	}
	id := fmt.Sprintf("library.node/%s/%d/%d", n.ID, d.CreatedAt.AsTime().UnixMilli(), n.Version)
	if change == ChangeDeleted {
		id += "/" + ChangeDeleted
	}
	return event.Event{ID: id, Subject: nodeSubject + n.ID, Item: n.ID, Owner: n.OwnedBy, Time: d.ChangedAt.AsTime(), Data: d}
}
