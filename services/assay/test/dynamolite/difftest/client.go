package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// object and list are decoded JSON.
type (
	object = map[string]any
	list   = []any
)

// client sends raw requests to one engine.
type client struct {
	name string
	url  string
	http *http.Client
}

func newClient(name, url string) *client {
	return &client{name: name, url: url, http: &http.Client{Timeout: time.Minute}}
}

// response is what an engine returns: a body on success, otherwise an exception.
type response struct {
	status    int
	exception string // without namespace
	message   string
	body      object // for an exception, its members other than type and message
}

// ok reports whether the request succeeded.
func (a response) ok() bool { return a.status == http.StatusOK }

func (a response) String() string {
	body, err := json.Marshal(a.body)
	if err != nil {
		body = []byte(err.Error())
	}
	if a.ok() {
		return string(body)
	}
	return fmt.Sprintf("%d %s: %s %s", a.status, a.exception, a.message, body)
}

// request is one call of the API.
type request struct {
	operation string
	body      object
}

func (r request) String() string {
	body, err := json.Marshal(r.body)
	if err != nil {
		return err.Error()
	}
	return r.operation + " " + string(body)
}

// target returns the X-Amz-Target header.
func (r request) target() string {
	switch r.operation {
	case "ListStreams", "DescribeStream", "GetShardIterator", "GetRecords":
		return "DynamoDBStreams_20120810." + r.operation
	}
	return "DynamoDB_20120810." + r.operation
}

// send returns the engine's response; the error is a transport error.
func (c *client) send(ctx context.Context, r request) (response, error) {
	payload, err := json.Marshal(r.body)
	if err != nil {
		return response{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(payload))
	if err != nil {
		return response{}, err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", r.target())
	// No engine here checks signatures, but dynoxide requires one.
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	resp, err := c.http.Do(req)
	if err != nil {
		return response{}, fmt.Errorf("%s: %s: %w", c.name, r.operation, err)
	}
	text, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return response{}, fmt.Errorf("%s: %s: %w", c.name, r.operation, err)
	}
	a := response{status: resp.StatusCode}
	if err := json.Unmarshal(text, &a.body); err != nil {
		return response{}, fmt.Errorf("%s: %s: %s: %w", c.name, r.operation, text, err)
	}
	if !a.ok() {
		kind, _ := a.body["__type"].(string)
		_, a.exception, _ = strings.Cut(kind, "#")
		for _, key := range []string{"message", "Message"} {
			if message, ok := a.body[key].(string); ok {
				a.message = message
			}
			delete(a.body, key)
		}
		delete(a.body, "__type")
	}
	return a, nil
}
