package textfile_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/textfile"
)

func TestUploaded(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 250e6, time.UTC)
	file := &event.FileUploaded{FileId: "f1", OwnerId: "ann", Etag: "e1", UploadedAt: timestamppb.New(at)}
	retried := &event.FileUploaded{FileId: "f1", OwnerId: "ann", Etag: "e1", UploadedAt: timestamppb.New(at), RetriedAt: timestamppb.New(at.Add(time.Second))}
	for _, c := range []struct {
		file *event.FileUploaded
		id   string
		at   time.Time
	}{
		{file, "file.uploaded/f1/e1", at},
		{retried, "file.uploaded/f1/e1/1795176001250", at.Add(time.Second)},
	} {
		e := textfile.NewUploaded(c.file)
		if e.ID != c.id || e.Subject != "assay.file.uploaded.f1" || e.Type() != "assay.v1.FileUploaded" || !e.Time.Equal(c.at) {
			t.Errorf("got %s on %s of type %s at %s, want %s of type FileUploaded at %s", e.ID, e.Subject, e.Type(), e.Time, c.id, c.at)
		}
		if e.Item != "f1" || e.Owner != "ann" || e.Tenant != "ann" {
			t.Errorf("%s: got item %s of %s, tenant %s, want item f1 of ann, tenant ann", c.id, e.Item, e.Owner, e.Tenant)
		}
	}
}
