package linecount

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/upload"
)

// ObjectPrefix is the prefix of the keys of all objects of the area.
const ObjectPrefix = "linecounts/"

// ObjectKey returns the key of the object of an item with a reserved size.
func ObjectKey(id string, size int64) string {
	return blob.Key(ObjectPrefix, id+"/"+strconv.FormatInt(size, 10))
}

// ParseObjectKey returns the id and the reserved size in an object key, and whether the key is one of the area.
func ParseObjectKey(key string) (id string, size int64, mine bool) {
	name, mine := blob.CutKey(ObjectPrefix, key)
	id, reserved, _ := strings.Cut(name, "/")
	size, err := strconv.ParseInt(reserved, 10, 64)
	return id, size, mine && err == nil && uuid.Validate(id) == nil
}

// uploads maps the states of an item to those of its upload. In the others it is Settled.
var uploads = map[lifecycle.State]upload.State{Pending: upload.Waiting, Failed: upload.Failed}

// Upload describes the upload of an item to the bucket.
func (i Item) Upload(bucket *blob.Store) upload.Item {
	_, size, _ := ParseObjectKey(i.Key)
	return upload.Item{
		Area: Name, ID: i.ID, Owner: i.OwnerID, Bucket: bucket, Key: i.Key, Size: size,
		State: uploads[i.Status], Status: string(i.Status), Created: i.Created(), Updated: i.Updated(),
		Again: i.UpdatedAt != i.CreatedAt, Stored: i.Status == Failed,
		Event: func(object blob.Object) event.Event {
			return NewUploaded(&event.LineCountUploaded{
				Id: i.ID, OwnerId: i.OwnerID, FileName: i.FileName, Key: i.Key, Etag: object.ETag, PendingSince: timestamppb.New(i.Updated()),
			})
		},
	}
}
