package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/textfile/upload"
)

// notice is what a bucket says about an object, in any of the forms that S3
// servers have: S3 records, the detail of an EventBridge event, and either of
// them inside of a message of SQS or SNS, as it is received or as a function is
// handed it. Everything else in it is left unread: the bucket is asked, the
// notice is only the hint to ask.
type notice struct {
	Records []struct {
		EventName string `json:"eventName"`
		S3        struct {
			Object struct {
				Key string `json:"key"`
			} `json:"object"`
		} `json:"s3"`
		Body string `json:"body"` // of SQS, for a function
		SNS  struct {
			Message string `json:"Message"`
		} `json:"Sns"` // for a function
	} `json:"Records"`
	Type   string `json:"detail-type"`
	Detail struct {
		Object struct {
			Key string `json:"key"`
		} `json:"object"`
	} `json:"detail"`
	Body    string `json:"Body"`    // of SQS
	Message string `json:"Message"` // of SNS
}

// mostWraps is how many messages may be inside of each other: SNS in SQS, with
// one to spare.
const mostWraps = 3

// objectKeys returns the keys of the objects that a notice says were created.
// A notice without any, such as a server's test event, gives none.
func objectKeys(data []byte) ([]string, error) { return wrappedKeys(data, mostWraps) }

func wrappedKeys(data []byte, wraps int) ([]string, error) {
	var n notice
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, fmt.Errorf("the notice is not JSON: %w", err)
	}
	var keys []string
	inside := []string{n.Body, n.Message}
	for _, record := range n.Records {
		inside = append(inside, record.Body, record.SNS.Message)
		// AWS writes ObjectCreated:Put, some servers put "s3:" before it.
		if !strings.Contains(record.EventName, "ObjectCreated:") {
			continue
		}
		key := record.S3.Object.Key
		// AWS encodes keys as form values, some servers do not. The keys of
		// this system hold nothing that encoding would change.
		if decoded, err := url.QueryUnescape(key); err == nil {
			key = decoded
		}
		keys = append(keys, key)
	}
	if key := n.Detail.Object.Key; key != "" && n.Type == "Object Created" {
		keys = append(keys, key)
	}
	for _, message := range inside {
		if message == "" {
			continue
		}
		if wraps == 0 {
			return nil, fmt.Errorf("the notice is a message in more than %d others", mostWraps)
		}
		more, err := wrappedKeys([]byte(message), wraps-1)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

// noticeTime bounds an attempt at a notice, which makes some requests for each of
// its objects, mostly one.
const noticeTime = 2 * time.Minute

func (t *textFiles) noticeConsumer(cfg Config) bus.Consumer {
	return bus.Consumer{
		Name: "ingest-notice", Area: event.AreaTextFile, Stream: bus.StreamNotices,
		Parallel: cfg.NoticesParallel, Lease: cfg.Lease, Drain: cfg.Drain,
		// A notice waits while the stream of work is full, for some hours.
		Attempts: 50,
		Bounds:   func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: noticeTime} },
		Handle:   t.handleNotice,
	}
}

// handleNotice confirms the uploads that a notice tells of.
func (t *textFiles) handleNotice(ctx context.Context, d bus.Delivery) error {
	keys, err := objectKeys(d.Data)
	if err != nil {
		return bus.Permanent(err)
	}
	var failed []error
	for _, key := range keys {
		failed = append(failed, t.confirmObject(ctx, key))
	}
	return errors.Join(failed...)
}

// confirmObject confirms the upload of one object. Objects of others and of
// files that are gone are none of its business.
func (t *textFiles) confirmObject(ctx context.Context, key string) error {
	fileID, _, err := textfile.ParseObjectKey(key)
	if err != nil {
		return nil
	}
	file, err := t.store.Head(ctx, fileID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil
	case err != nil:
		return err
	case file.S3Key != key:
		return nil
	}
	_, err = t.uploads.Confirm(ctx, file)
	if errors.Is(err, upload.ErrNoBytes) || errors.Is(err, upload.ErrOtherBytes) {
		return nil // deleted again, or refused; the client's own call tells it so
	}
	return err
}
