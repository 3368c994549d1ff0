package library

import (
	"cmp"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/upload"
)

// Upload describes the upload of a file, whose object is in the bucket. Its event is StepStart, which publishes the open
// steps of the run. A file that is to be fetched, and a Loaded one, since a client's retry may have failed after its write,
// need no object to start.
func (f File) Upload(bucket *blob.Store) upload.Item {
	state := upload.Settled
	switch {
	case f.Status == Loading && !f.Unfetched():
		state = upload.Waiting
	case f.Status == Loading, f.Status == Loaded:
		state = upload.Started
	case f.Status == Failed, f.Status == ProcessedPartially:
		state = upload.Failed
	}
	return upload.Item{
		Area: Name, ID: f.ID, Owner: f.OwnedBy, Bucket: bucket, Key: f.Key, Size: f.Length,
		State: state, Status: string(f.Status), Created: f.Created(), Updated: f.Updated(), Stored: f.Final() && !f.Unfetched(),
		Event: func(object blob.Object) event.Event { return f.Start(cmp.Or(object.ETag, f.ETag)) },
	}
}
