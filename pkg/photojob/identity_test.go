package photojob

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
)

func newID(t interface {
	Helper()
	Fatal(...any)
}, owner, key string,
) string {
	t.Helper()
	id, err := NewID(owner, key)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		owner, key := rapid.String().Draw(t, "owner"), rapid.StringN(1, 40, -1).Draw(t, "key")
		id := newID(t, owner, key)
		if !ValidID(id) || id != newID(t, owner, key) || id == newID(t, owner+"x", key) || id == newID(t, owner, key+"x") {
			t.Fatalf("NewID(%q, %q) = %s, want a valid id that depends on both", owner, key, id)
		}
		if first, second := newID(t, owner, ""), newID(t, owner, ""); first == second {
			t.Fatalf("NewID without a key: got %s twice, want different ids", first)
		}
		if ValidID(strings.ToLower(id)) && strings.ToLower(id) != id || ValidID(id+"0") {
			t.Fatalf("ValidID of another form of %s: got true, want false", id)
		}
		children, err := childIDs(id, MaxBatch)
		if err != nil || len(slices.Compact(slices.Clone(children))) != MaxBatch || slices.Contains(children, id) {
			t.Fatalf("childIDs(%s) = %q, %v, want %d other ids", id, children, err, MaxBatch)
		}
		for _, child := range children {
			if child[:10] != id[:10] || !ValidID(child) { // the timestamp
				t.Fatalf("childIDs(%s) contains %s, want a valid id with the same timestamp", id, child)
			}
		}
	})
}

// The random part is incremented as a single number, and wraps around at its
// maximum.
func TestChildIDs(t *testing.T) {
	for id, want := range map[string]string{
		"01HF9GXXX00000000000000000": "01HF9GXXX00000000000000001",
		"01HF9GXXX0000FZZZZZZZZZZZZ": "01HF9GXXX0000G000000000000",
		"01HF9GXXX0ZZZZZZZZZZZZZZZZ": "01HF9GXXX00000000000000000",
	} {
		if ids, err := childIDs(id, 1); err != nil || ids[0] != want {
			t.Errorf("childIDs(%s, 1) = %s, %v, want %s", id, ids, err, want)
		}
	}
}

func TestIDsHaveTimestampOfKey(t *testing.T) {
	seven, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	second, nanos := seven.Time().UnixTime()
	for key, ms := range map[string]uint64{seven.String(): uint64(second*1000 + nanos/1e6), "01HF9GXXX0000000000000000A": 1700053055392} {
		parsed, err := ulid.ParseStrict(newID(t, "ann", key))
		if err != nil || parsed.Time() != ms {
			t.Errorf("key %s: got an id with time %d, error %v, want %d", key, parsed.Time(), err, ms)
		}
	}
}

func TestObjectKeys(t *testing.T) {
	id := newID(t, "ann", "")
	keys := []string{portrait.UploadKey(id), AnswerKey(id, 3), FinalKey(id, 3, "jpeg")}
	for _, key := range keys {
		if job, err := JobOf(key); err != nil || job != id {
			t.Errorf("JobOf(%q) = %q, %v, want %q", key, job, err, id)
		}
	}
	if !strings.Contains(keys[0], "/"+id+"/4096-") || keys[1] != blob.Key("work/", id+"/answer-3") || keys[2] != blob.Key("final/", id+"/3.jpg") {
		t.Errorf("got keys %q, want an upload of 4096 bytes, answer-3 and 3.jpg", keys)
	}
	other := portrait
	other.Prompt = "sepia"
	if other.UploadKey(id) == portrait.UploadKey(id) {
		t.Error("got the same upload key for different terms, want different keys")
	}
	job := portrait.Job(id, "ann")
	if !portrait.ReservedAs(job) || other.ReservedAs(job) {
		t.Error("a job of an earlier version is not recognized by its terms")
	}
	job.CreatedAt = 1_795_846_124_883
	job.S3TempKey += createdSuffix(job.CreatedAt)
	if !portrait.ReservedAs(job) || other.ReservedAs(job) {
		t.Errorf("the job with the upload %s is not recognized by its terms", job.S3TempKey)
	}
	for _, foreign := range []string{"", "uploads/", "uploads/" + id, "uploads/" + id + "/1", blob.Key("uploads/", id+"/"), blob.Key("files/", id+"/1"), blob.Key("work/", strings.ToLower(id)+"/answer-1")} {
		if _, err := JobOf(foreign); !errors.Is(err, ErrForeignKey) {
			t.Errorf("JobOf(%q): got error %v, want ErrForeignKey", foreign, err)
		}
	}
}

// TestLocalProviderHasTwoNames checks that requests name the local provider as the API or as the table does, that both are the
// same request, and that the API and the outcome show one name.
func TestLocalProviderHasTwoNames(t *testing.T) {
	id := ulid.Make().String()
	job := func(provider string) Job {
		terms := portrait
		terms.Options.Provider = provider
		if terms = terms.Completed(); terms.Check() != nil {
			t.Errorf("provider %q: got violations %+v, want none", provider, terms.Check())
		}
		return terms.Job(id, "ann")
	}
	shown, stored := job("local"), job("stub")
	shown.CreatedAt, shown.UpdatedAt, shown.TTL = stored.CreatedAt, stored.UpdatedAt, stored.TTL
	if stored.Provider != "stub" || stored.Options.Provider != "stub" || !reflect.DeepEqual(shown, stored) {
		t.Errorf("got the jobs %+v and %+v, want the same, stored with the provider stub", shown, stored)
	}
	stored.Status = Completed
	stored.Calls = Ledger{"1": Call{N: 1, Step: StepEdit, Provider: Stub, Outcome: CallOK}}
	view := stored.View()
	if view.Provider != "local" || view.Options.Provider != "local" || len(view.Calls) != 1 || view.Calls[0].Provider != "local" {
		t.Errorf("got the view %+v, want the provider local", view)
	}
	if outcome, ok := stored.Outcome("photos").Data.(*event.AnalysisCompleted); !ok || outcome.GetPhotoEdit().GetProvider() != "local" {
		t.Errorf("got the outcome %v, want the provider local", outcome)
	}
	for _, paid := range []string{Gemini, Seedream} {
		if got := job(paid).View(); got.Provider != paid || got.Options.Provider != paid {
			t.Errorf("got the providers %s and %s, want %s", got.Provider, got.Options.Provider, paid)
		}
	}
}

func TestTerms(t *testing.T) {
	if wrong := portrait.Check(); wrong != nil {
		t.Errorf("got violations %+v, want none", wrong)
	}
	completed := Terms{FileName: "a.jpg", ContentType: "Image/JPEG; a=b"}.Completed()
	if completed.ContentType != "image/jpeg" || completed.Options.Provider != Stub || completed.Check() != nil {
		t.Errorf("got %+v, want image/jpeg, the local provider and no violations", completed)
	}
	bad := Terms{
		Prompt:  strings.Repeat("a", MaxPrompt+1),
		Options: Options{Provider: "dall-e", Format: "bmp", Quality: 101, Width: 15, AspectRatio: "0:1"},
	}.Check()
	var fields []string
	for _, v := range bad {
		fields = append(fields, v.Field)
	}
	want := []string{"fileName", "prompt", "options.provider", "options.format", "options.quality", "options.width", "options.aspectRatio"}
	if !slices.Equal(fields, want) {
		t.Errorf("got violations in %q, want %q", fields, want)
	}
	named := portrait
	named.FileName = "a\tb.jpg"
	if wrong := named.Check(); len(wrong) != 1 || wrong[0].Field != "fileName" || !strings.Contains(wrong[0].Message, "control character") {
		t.Errorf("file name with a tab: got violations %+v, want one about the control character", wrong)
	}
	if wrong := named.CheckEdit(); wrong != nil {
		t.Errorf("retry of a job with a tab in its file name: got violations %+v, want none", wrong)
	}
}
