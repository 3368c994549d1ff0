package dynamolite

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/sigv4"
)

// apiError is an error that a client sees: a DynamoDB exception.
type apiError struct {
	code    string // exception name without namespace
	message string
	item    attr.Item            // ConditionalCheckFailedException with ALL_OLD
	reasons []cancellationReason // TransactionCanceledException
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

// cancellationReason is the reason why one action of a transaction failed. Code is
// "None" if the action did not fail.
type cancellationReason struct {
	Code    string
	Message string    `json:",omitempty"`
	Item    attr.Item `json:",omitzero"`
}

// errTableChanged means that a request was planned against an outdated table
// definition; the request is planned again.
var errTableChanged = errors.New("dynamolite: table changed")

// ErrClosed is returned for requests made after Close.
var ErrClosed = errors.New("dynamolite: engine is closed")

// ErrOldFormat means that an older version of this package wrote the file.
var ErrOldFormat = errors.New("the file has the format of an older version, which this version cannot read; start with a new data directory")

func invalid(message string) error {
	return &apiError{code: "ValidationException", message: message}
}

// invalidParameters returns the validation error that most checks of values use.
func invalidParameters(message string) error {
	return invalid("One or more parameter values were invalid: " + message)
}

var errNotFound = &apiError{code: "ResourceNotFoundException", message: "Requested resource not found"}

func tableNotFound(name string) error {
	return &apiError{code: "ResourceNotFoundException", message: "Requested resource not found: Table: " + name + " not found"}
}

// notFound reports whether err is a ResourceNotFoundException.
func notFound(err error) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.code == errNotFound.code
}

// tableMissing is the error of the operations for backups, which differs from tableNotFound.
func tableMissing(name string) error {
	return &apiError{code: "TableNotFoundException", message: "Table not found: " + name}
}

// inUse means that a table is being created, or copied to a backup.
func inUse(message string) error {
	return &apiError{code: "ResourceInUseException", message: message}
}

func conditionFailed(old attr.Item) error {
	return &apiError{code: "ConditionalCheckFailedException", message: msgConditionFailed, item: old}
}

const msgConditionFailed = "The conditional request failed"

func canceled(reasons []cancellationReason) error {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return &apiError{
		code:    "TransactionCanceledException",
		message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
		reasons: reasons,
	}
}

// clientError returns err as the exception that a client sees. A failure that
// the client did not cause is an InternalServerError without details, or says that the data is damaged.
func clientError(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*attr.ValidationError](err); ok {
		return &apiError{code: "ValidationException", message: e.Message}
	}
	if e, ok := errors.AsType[*attr.SerializationError](err); ok {
		return &apiError{code: "SerializationException", message: e.Message}
	}
	if e, ok := errors.AsType[*sigv4.Error](err); ok {
		return &apiError{code: e.Code, message: e.Message}
	}
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return &apiError{code: "StorageFull", message: "The disk is full; free space and try again"}
		}
	}
	if errors.Is(err, ErrDamaged) {
		return &apiError{code: dataDamaged, message: "The data is damaged; restore a backup"}
	}
	return &apiError{code: "InternalServerError", message: "The request processing has failed because of an unknown error"}
}

// Codes that DynamoDB does not have.
const (
	misdirected = "MisdirectedRequestException" // a request to another host
	dataDamaged = "DataDamaged"                 // unlike an InternalServerError, a retry has the same result
)

func (e *apiError) status() int {
	switch e.code {
	case "InternalServerError", dataDamaged:
		return http.StatusInternalServerError
	case "StorageFull", "ServiceUnavailable":
		return http.StatusServiceUnavailable
	case misdirected:
		return http.StatusMisdirectedRequest
	}
	return http.StatusBadRequest
}

// body returns the JSON response. The namespaces are those of AWS.
func (e *apiError) body() ([]byte, error) {
	namespace := "com.amazonaws.dynamodb.v20120810#"
	switch e.code {
	case "ValidationException":
		namespace = "com.amazon.coral.validate#"
	case "SerializationException", "UnknownOperationException", "AccessDeniedException", misdirected,
		"MissingAuthenticationTokenException", "IncompleteSignatureException", "InvalidSignatureException", "UnrecognizedClientException":
		namespace = "com.amazon.coral.service#"
	}
	return json.Marshal(struct {
		Type                string               `json:"__type"`
		Message             string               `json:"message"`
		Item                attr.Item            `json:",omitzero"`
		CancellationReasons []cancellationReason `json:",omitempty"`
	}{namespace + e.code, e.message, e.item, e.reasons})
}
