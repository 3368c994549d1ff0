package notice

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
)

// message is a bucket notification in any of the forms that S3 servers use: S3 records, the detail
// of an EventBridge event, or one of these inside an SQS or SNS message, as received or as passed to
// a function.
type message struct {
	Records []record `json:"Records,omitempty"`
	Type    string   `json:"detail-type,omitempty"`
	Detail  location `json:"detail,omitzero"`
	Body    string   `json:"Body,omitempty"`    // set by SQS
	Message string   `json:"Message,omitempty"` // set by SNS
}

type record struct {
	Source string   `json:"eventSource,omitempty"`
	Name   string   `json:"eventName,omitempty"`
	S3     location `json:"s3,omitzero"`
	Body   string   `json:"body,omitempty"` // set by SQS for a function
	SNS    struct {
		Message string `json:"Message"`
	} `json:"Sns,omitzero"` // set for a function
}

// location identifies an object. Its other properties are read from the bucket, because a notification
// may be late, repeated or forged.
type location struct {
	Bucket struct {
		Name string `json:"name"`
	} `json:"bucket"`
	Object struct {
		Key string `json:"key"`
	} `json:"object"`
}

// maxDepth is the maximum nesting of messages: SNS in SQS, and one more level.
const maxDepth = 3

// created returns the buckets and keys of the objects that a notification reports as created. A
// notification about another event, such as a server's test event, has none.
func created(data []byte) ([]blob.Object, error) { return createdWithin(data, maxDepth) }

func createdWithin(data []byte, depth int) ([]blob.Object, error) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%w: the notification is not JSON: %w", event.ErrUnreadable, err)
	}
	var objects []blob.Object
	inside := []string{m.Body, m.Message}
	for _, r := range m.Records {
		inside = append(inside, r.Body, r.SNS.Message)
		// AWS writes ObjectCreated:Put. Some servers add the prefix "s3:".
		if !strings.Contains(r.Name, "ObjectCreated:") {
			continue
		}
		key := r.S3.Object.Key
		// AWS encodes keys as form values. Some servers do not.
		if decoded, err := url.QueryUnescape(key); err == nil {
			key = decoded
		}
		objects = append(objects, blob.Object{Bucket: r.S3.Bucket.Name, Key: key})
	}
	if key := m.Detail.Object.Key; key != "" && m.Type == "Object Created" {
		objects = append(objects, blob.Object{Bucket: m.Detail.Bucket.Name, Key: key})
	}
	for _, text := range inside {
		if text == "" {
			continue
		}
		if depth == 0 {
			return nil, fmt.Errorf("%w: the notification is nested more than %d levels deep", event.ErrUnreadable, maxDepth)
		}
		more, err := createdWithin([]byte(text), depth-1)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

// encode returns the notification for a new object as an S3 event record. Object keys of Assay
// contain no character that needs encoding.
func encode(o blob.Object) ([]byte, error) {
	r := record{Source: "aws:s3", Name: "ObjectCreated:Put"}
	r.S3.Bucket.Name, r.S3.Object.Key = o.Bucket, o.Key
	return json.Marshal(message{Records: []record{r}})
}
