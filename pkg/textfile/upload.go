package textfile

import (
	"maps"
	"mime"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/upload"
)

// uploads maps the states of a file to those of its upload. In the others it is Settled.
var uploads = map[lifecycle.State]upload.State{Pending: upload.Waiting, Failed: upload.Failed}

// Upload describes the upload of a file, whose object is in the bucket. Its event is FileUploaded.
func (f File) Upload(bucket *blob.Store) upload.Item {
	return upload.Item{
		Area: Name, ID: f.FileID, Owner: f.OwnerID, Bucket: bucket, Key: f.S3Key, Size: f.Size(),
		State: uploads[f.Status], Status: string(f.Status), Created: f.Created(), Updated: f.Updated(),
		Again: f.Status == Pending && f.Retried(), Stored: f.Final(),
		Event: func(object blob.Object) event.Event {
			uploaded := &event.FileUploaded{
				FileId: f.FileID, OwnerId: f.OwnerID, FileName: f.FileName, Bucket: f.S3Bucket, Key: f.S3Key,
				Etag: object.ETag, Size: float64(object.Size), ContentType: f.ContentType(object.ContentType), UploadedAt: timestamppb.New(object.Modified),
			}
			if f.Status == Pending {
				uploaded.PendingSince = timestamppb.New(f.Updated())
				if f.Retried() {
					uploaded.RetriedAt = uploaded.PendingSince
				}
			}
			return NewUploaded(uploaded)
		},
	}
}

// ContentType returns the content type of the upload, with the charset that a retry stated.
func (f File) ContentType(uploaded string) string {
	if f.Charset == "" {
		return uploaded
	}
	media, params, err := mime.ParseMediaType(uploaded)
	if err != nil {
		media, params = "text/plain", nil
	}
	stated := map[string]string{}
	maps.Copy(stated, params)
	stated["charset"] = f.Charset
	return mime.FormatMediaType(media, stated)
}
