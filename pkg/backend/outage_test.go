package backend_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/outage"
	"github.com/assay-project/assay/pkg/table"
)

// TestBoundedCalls checks that calls in a bounded context end in time with an outage.Error while the server does not
// respond, or only with an error; that further calls of the same request end sooner; and that a response restores the
// limit. A rejection is no outage.
func TestBoundedCalls(t *testing.T) {
	var mode atomic.Value
	served(t, func(w http.ResponseWriter, r *http.Request, over <-chan struct{}) {
		switch mode.Load() {
		case "silent":
			<-over
		case "failing":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "throttling":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}`)
		case "rejecting":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ValidationException"}`)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}, func(t *testing.T, base aws.Config) {
		cfg := blob.Config{Endpoint: "http://server", Bucket: "bucket", Timeout: time.Minute}
		db, store := table.Connect(base, table.Config{Endpoint: "http://server", Timeout: time.Minute}), blob.New(base, cfg)
		for _, c := range []struct {
			name, mode string
			call       func(context.Context) error
			outage     bool
		}{
			{"table", "silent", list(db), true},
			{"table", "failing", list(db), true},
			{"table", "throttling", list(db), true},
			{"table", "rejecting", list(db), false},
			{"object", "silent", head(store), true},
			{"object", "failing", head(store), true},
			{"object", "rejecting", head(store), false},
			{"upload", "silent", upload(store), true},
			{"copy", "silent", func(ctx context.Context) error {
				return store.CompleteParts(ctx, "key", "id", []blob.StoredPart{{Number: 1, ETag: "a"}}, 1)
			}, true},
		} {
			mode.Store(c.mode)
			ctx := outage.Bounded(t.Context())
			for i, most := range []time.Duration{5 * time.Second, 2 * time.Second} {
				began := time.Now()
				err := c.call(ctx)
				if _, is := errors.AsType[*outage.Error](err); err == nil || is != c.outage || time.Since(began) > most {
					t.Errorf("%s, %s, call %d: got error %v after %s, want an outage = %t within %s", c.name, c.mode, i+1, err, time.Since(began), c.outage, most)
				}
				if c.name == "copy" || c.mode == "failing" && c.name == "object" {
					break // S3 may need long to join parts; the SDK makes three attempts if S3 responds with errors
				}
			}
			if mode.Store(""); c.name == "table" {
				if err := c.call(ctx); err != nil {
					t.Errorf("%s after the outage: got error %v, want nil", c.name, err)
				}
				if left, _ := outage.Left(ctx, outage.DynamoDB); left != outage.Limit {
					t.Errorf("%s after the outage: %s left, want %s", c.name, left, outage.Limit)
				}
			}
		}
	})
}

func list(db *dynamodb.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := db.ListTables(ctx, &dynamodb.ListTablesInput{})
		return err
	}
}

func head(store *blob.Store) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := store.Head(ctx, "key")
		return err
	}
}

func upload(store *blob.Store) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := store.Put(ctx, "key", "text/plain", nil, bytes.NewReader([]byte(strings.Repeat("a", 50_000))))
		return err
	}
}
