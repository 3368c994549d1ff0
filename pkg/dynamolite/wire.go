package dynamolite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRequest is DynamoDB's maximum size of a request body, in bytes (16 MB, for
// batches).
const maxRequest = 16 << 20

// handler handles one operation: it decodes the body and returns a value to
// encode.
type handler func(body []byte) (any, error)

// appender is a response that encodes itself, which is faster than encoding/json.
type appender interface {
	AppendJSON(dst []byte) []byte
}

// operation returns the handler for a function that takes the decoded request.
func operation[In any](run func(*In) (any, error)) handler {
	return func(body []byte) (any, error) {
		in := new(In)
		if err := decode(body, in); err != nil {
			return nil, err
		}
		return run(in)
	}
}

// decode parses a request. An error for malformed JSON anywhere in the body takes
// precedence over an error for a value of the wrong type.
func decode(body []byte, in any) error {
	lenient := jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := jsonv2.Unmarshal(body, in, lenient)
	if err == nil {
		return nil
	}
	if !jsontext.Value(body).IsValid(lenient) {
		return &attr.SerializationError{Message: "The request is not valid JSON"}
	}
	if _, ok := errors.AsType[*attr.SerializationError](err); ok {
		return err
	}
	var names []string // path of the member, without list indexes
	if wrong, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		for name := range wrong.JSONPointer.Tokens() {
			if _, err := strconv.Atoi(name); err != nil {
				names = append(names, name)
			}
		}
	}
	return &attr.SerializationError{Message: "Unexpected value type in payload: " + strings.Join(names, ".")}
}

func (e *Engine) operations() map[string]handler {
	const tables, streams = "DynamoDB_20120810.", "DynamoDBStreams_20120810."
	return map[string]handler{
		tables + "CreateTable":        operation(e.createTable),
		tables + "DescribeTable":      operation(e.describeTable),
		tables + "ListTables":         operation(e.listTables),
		tables + "DeleteTable":        operation(e.deleteTable),
		tables + "PutItem":            operation(e.putItem),
		tables + "GetItem":            operation(e.getItem),
		tables + "UpdateItem":         operation(e.updateItem),
		tables + "DeleteItem":         operation(e.deleteItem),
		tables + "Query":              operation(e.query),
		tables + "Scan":               operation(e.scan),
		tables + "BatchGetItem":       operation(e.batchGetItem),
		tables + "BatchWriteItem":     operation(e.batchWriteItem),
		tables + "TransactGetItems":   operation(e.transactGetItems),
		tables + "TransactWriteItems": operation(e.transactWriteItems),
		tables + "UpdateTable":        operation(e.updateTable),
		tables + "UpdateTimeToLive":   operation(e.updateTimeToLive),
		tables + "DescribeTimeToLive": operation(e.describeTimeToLive),

		tables + "TagResource":        operation(e.tagResource),
		tables + "UntagResource":      operation(e.untagResource),
		tables + "ListTagsOfResource": operation(e.listTagsOfResource),
		tables + "DescribeLimits":     operation(describeLimits),

		tables + "CreateBackup":              operation(e.createBackup),
		tables + "DescribeBackup":            operation(e.describeBackup),
		tables + "ListBackups":               operation(e.listBackups),
		tables + "DeleteBackup":              operation(e.deleteBackup),
		tables + "RestoreTableFromBackup":    operation(e.restoreTableFromBackup),
		tables + "DescribeContinuousBackups": operation(e.describeContinuousBackups),
		tables + "UpdateContinuousBackups":   operation(e.updateContinuousBackups),
		tables + "RestoreTableToPointInTime": operation(e.restoreTableToPointInTime),
		tables + "ExportTableToPointInTime":  operation(e.exportTableToPointInTime),

		streams + "ListStreams":      operation(e.listStreams),
		streams + "DescribeStream":   operation(e.describeStream),
		streams + "GetShardIterator": operation(e.getShardIterator),
		streams + "GetRecords":       operation(e.getRecords),
	}
}

// ServeHTTP handles one request of the DynamoDB or DynamoDB Streams API.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.Header.Get("X-Amz-Target")
	err := e.addressed(r)
	if err == nil && target == "" && r.Method == http.MethodGet {
		w.WriteHeader(http.StatusOK) // a liveness probe
		return
	}
	var body []byte
	if err == nil {
		body, err = e.readSigned(w, r)
		defer func(held int64) { e.bodies.Release(held) }(int64(cap(body)))
	}
	if err == nil {
		err = e.permit(r, target, body)
	}
	if err == nil {
		body, err = e.respond(r.Context(), target, body)
	}
	status := http.StatusOK
	if err != nil {
		failure := clientError(err)
		status = failure.status()
		if status == http.StatusInternalServerError && e.onError != nil {
			e.onError(err)
		}
		if body, err = failure.body(); err != nil {
			panic(fmt.Sprintf("dynamolite: error response cannot be encoded: %v", err)) // cannot fail for the types of its fields
		}
	}
	h := w.Header()
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/x-amz-json-1.0")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	h.Set("X-Amzn-Requestid", strings.ToUpper(strconv.FormatUint(e.requests.Add(1), 36)))
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil && e.onError != nil {
		e.onError(err) // the client has disconnected; its request has taken effect
	}
}

func (e *Engine) respond(ctx context.Context, target string, body []byte) ([]byte, error) {
	run, ok := e.handlers[target]
	if !ok {
		return nil, &apiError{code: "UnknownOperationException", message: "Unsupported operation: " + target}
	}
	_, name, _ := strings.Cut(target, ".")
	out, err := e.faults.around(ctx, name, body, run)
	if err != nil {
		return nil, err
	}
	if a, ok := out.(appender); ok {
		return a.AppendJSON(nil), nil
	}
	return json.Marshal(out)
}
