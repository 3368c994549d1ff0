package library

import (
	"errors"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
)

func TestSteps(t *testing.T) {
	r := open(t)
	f, w := r.in(Loaded)
	for step, class := range map[string]string{extract.StepMetadata: "light", ChunkStep(17): "records", StepFinish: "light"} {
		e := w.Step(f, step)
		d, ok := e.Data.(*event.LibraryStep)
		if e.ID != "library.step/"+f.ID+"/1/"+step || e.Subject != "assay.library.step."+class+"."+f.ID+".1."+step {
			t.Errorf("%s: got id %s and subject %s, want those of file %s, run 1 and class %s", step, e.ID, e.Subject, f.ID, class)
		}
		if !ok || e.Owner != "ann" || e.Tenant != "ann" || e.Item != f.ID || d.Key != f.Key || d.Etag != "e1" || !e.Time.Equal(r.clock) {
			t.Errorf("%s: got event %+v, want owner ann, item %s, key %s, etag e1 and time %s", step, e, f.ID, f.Key, r.clock)
		}
	}
	start := f.Start("e2")
	if d, ok := start.Data.(*event.LibraryStep); !ok || d.Step != StepStart || d.Etag != "e2" || d.Run != 1 {
		t.Errorf("got event %+v, want step %s, etag e2 and run 1", start, StepStart)
	}
	area := Area(config)
	if got := area.Events[0].Subject; got != "assay.library.step.{class}.{fileId}.{run}.{step}" || len(area.Tables) != 3 {
		t.Errorf("got subject %s and %d tables, want placeholders in the subject and 3 tables", got, len(area.Tables))
	}
}

func TestNodeChanged(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	shared, err := r.Share(t.Context(), folder.ID, false, []string{"bob"}, nil, ann)
	if err != nil {
		t.Fatal(err)
	}
	e := shared.Changed(ChangeUpdated, folder)
	d, ok := e.Data.(*event.NodeChanged)
	if !ok || e.ID != "library.node/"+folder.ID+"/1795175500000/2" || e.Subject != "assay.library.node."+folder.ID || e.Owner != "ann" ||
		!slices.Equal(d.Users, []string{"bob"}) || d.ParentId != RootID("ann") || d.Version != 2 {
		t.Errorf("got event %+v, want version 2 of %s, shared with bob", e, folder.ID)
	}
	renamed := shared
	renamed.Name = "papers"
	if d, ok := renamed.Changed(ChangeUpdated, shared).Data.(*event.NodeChanged); !ok || d.Name != "papers" || d.PreviousName != "docs" || d.PreviousParentId != "" {
		t.Errorf("got %+v, want the previous name docs", d)
	}
	if d, ok := shared.Changed(ChangeUpdated, folder).Data.(*event.NodeChanged); !ok || d.PreviousName != "" {
		t.Errorf("got %+v, want no previous name", d)
	}
	trashed, err := r.Trash(t.Context(), folder.ID, ann)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := trashed.Changed(ChangeUpdated, shared).Data.(*event.NodeChanged); !ok || !d.Trashed || d.ParentId != "" || d.PreviousParentId != RootID("ann") {
		t.Errorf("got %+v, want a trashed node without a parent whose previous parent is the root", d)
	}
	if id := trashed.Changed(ChangeDeleted, trashed).ID; id == trashed.Changed(ChangeUpdated, shared).ID {
		t.Errorf("got id %s for a deletion and for the last change, want different ids", id)
	}
}

func TestKeys(t *testing.T) {
	r := open(t)
	upload := r.newFile("a.txt", "")
	other := upload
	other.Length++
	if upload.UploadKey() == other.UploadKey() || !uploaded(upload.UploadKey()) {
		t.Errorf("got upload keys %s and %s, want different ones", upload.UploadKey(), other.UploadKey())
	}
	upload.ParentID = RootID("ann")
	another := upload
	another.Owner, another.ParentID = "bob", RootID("bob")
	if upload.UploadKey() != another.UploadKey() {
		t.Errorf("got upload keys %s and %s for two owners, want the same: readers see the key", upload.UploadKey(), another.UploadKey())
	}
	// The key of earlier versions, computed with Python's hashlib for the reservation of ann with these terms.
	earlier := upload
	earlier.ID, earlier.ContentType, earlier.Length = "01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11", "text/plain", 5
	const old = "library/60/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11/upload-8015c7c87debf952788958f884274b36"
	if !earlier.ReservedAs(old) || !earlier.ReservedAs(earlier.UploadKey()) || earlier.ReservedAs(another.UploadKey()) {
		t.Errorf("ReservedAs: got %t, %t and %t, want only the own keys, also %s of an earlier version", earlier.ReservedAs(old), earlier.ReservedAs(earlier.UploadKey()), earlier.ReservedAs(another.UploadKey()), old)
	}
	result := ResultKey(upload.ID, 2, "records/00042.jsonl.gz")
	for key, want := range map[string]int64{upload.UploadKey(): 0, result: 2} {
		if id, run, err := ParseKey(key); err != nil || id != upload.ID || run != want {
			t.Errorf("ParseKey(%q) = %s, %d, %v, want %s, %d", key, id, run, err, upload.ID, want)
		}
	}
	if uploaded(result) {
		t.Errorf("uploaded(%q) = true, want false", result)
	}
	prefix := FilePrefix(upload.ID)
	for _, key := range []string{"", "files/x", prefix, prefix + "r0/a", prefix + "r1/", prefix + "r01/a", prefix + "1/a", prefix + "other", "library/00/x/upload-1"} {
		if id, run, err := ParseKey(key); !errors.Is(err, ErrForeignKey) {
			t.Errorf("ParseKey(%q) = %s, %d, %v, want ErrForeignKey", key, id, run, err)
		}
	}
}

// TestWorkIsCountedByFile checks which item the backlog counts for a step: the file, and none for the removal of a node, which
// has no outcome.
func TestWorkIsCountedByFile(t *testing.T) {
	r := open(t)
	f, w := r.in(Loaded)
	for _, test := range []struct{ subject, want string }{
		{f.Start("e1").Subject, f.ID}, {w.Step(f, extract.StepMetadata).Subject, f.ID}, {w.Step(f, StepFinish).Subject, f.ID},
		{w.Erase().Subject, ""}, {"assay.file.uploaded." + f.ID, ""},
	} {
		if got := Work().Item(test.subject); got != test.want {
			t.Errorf("%s: got item %q, want %q", test.subject, got, test.want)
		}
	}
}
