package dynamolite_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"
)

// clock is a clock that stands still until a test advances it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// service is an engine served over HTTP, with clients for it.
type service struct {
	*dynamodb.Client
	streams *dynamodbstreams.Client
	engine  *dynamolite.Engine
	url     string
	t       testing.TB
}

// start opens an engine, in a temporary file unless opts has a path, and
// closes it when the test ends.
func start(t testing.TB, opts dynamolite.Options) *service {
	t.Helper()
	if opts.OnError == nil {
		opts.OnError = func(err error) { t.Errorf("engine: %v", err) }
	}
	engine, err := dynamolite.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, engine)
}

// serve serves an engine over HTTP until the test ends, and then closes it.
func serve(t testing.TB, engine *dynamolite.Engine) *service {
	server := httptest.NewServer(engine)
	t.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s := connect(server.URL)
	s.engine, s.t = engine, t
	return s
}

// inMemory passes request bodies to net/http as bytes. With the SDK's own
// reader, net/http may still be sending the body when the response arrives. The
// SDK then closes the body (smithy-go, ClientHandler.Handle), which net/http
// treats as a failed write: it drops the connection, and with it the rest of a
// large response.
type inMemory struct{ http.RoundTripper }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return m.RoundTripper.RoundTrip(r)
}

func connect(url string) *service {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	config := aws.Config{
		HTTPClient:  &http.Client{Transport: inMemory{transport}},
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
	}
	return &service{
		Client:  dynamodb.NewFromConfig(config, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(url) }),
		streams: dynamodbstreams.NewFromConfig(config, func(o *dynamodbstreams.Options) { o.BaseEndpoint = aws.String(url) }),
		url:     url,
	}
}

type object = map[string]types.AttributeValue

// value converts a Go value to an attribute value.
func value(v any) types.AttributeValue {
	switch v := v.(type) {
	case types.AttributeValue:
		return v
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case int:
		return &types.AttributeValueMemberN{Value: strconv.Itoa(v)}
	case []byte:
		return &types.AttributeValueMemberB{Value: v}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []string:
		return &types.AttributeValueMemberSS{Value: v}
	case object:
		return &types.AttributeValueMemberM{Value: v}
	}
	panic(fmt.Sprintf("no attribute value for type %T", v))
}

// item returns an item built from alternating names and values.
func item(pairs ...any) object {
	out := object{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = value(pairs[i+1])
	}
	return out
}

// text returns a string or number attribute as text, or "" if there is none.
func text(it object, name string) string {
	switch v := it[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

// texts returns one attribute of each item.
func texts(items []object, name string) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = text(it, name)
	}
	return out
}

// tableOption adds to a table's definition. Attributes have the form "name:T", where T is
// the type.
type tableOption func(*dynamodb.CreateTableInput)

func withIndex(name, hash, sort string, projection types.ProjectionType, include ...string) tableOption {
	return func(in *dynamodb.CreateTableInput) {
		index := types.GlobalSecondaryIndex{
			IndexName:  aws.String(name),
			KeySchema:  keys(hash, sort),
			Projection: &types.Projection{ProjectionType: projection, NonKeyAttributes: include},
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, index)
		define(in, hash)
		define(in, sort)
	}
}

func withStream(view types.StreamViewType) tableOption {
	return func(in *dynamodb.CreateTableInput) {
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: view}
	}
}

func keys(hash, sort string) []types.KeySchemaElement {
	out := []types.KeySchemaElement{{AttributeName: aws.String(hash[:len(hash)-2]), KeyType: types.KeyTypeHash}}
	if sort != "" {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(sort[:len(sort)-2]), KeyType: types.KeyTypeRange})
	}
	return out
}

func define(in *dynamodb.CreateTableInput, attribute string) {
	if attribute == "" {
		return
	}
	name, kind := attribute[:len(attribute)-2], types.ScalarAttributeType(attribute[len(attribute)-1:])
	for _, d := range in.AttributeDefinitions {
		if *d.AttributeName == name {
			return
		}
	}
	in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind})
}

// table creates a table. hash and sort are key attributes such as "pk:S"; sort may be empty.
func (s *service) table(name, hash, sort string, options ...tableOption) {
	s.t.Helper()
	in := &dynamodb.CreateTableInput{TableName: aws.String(name), KeySchema: keys(hash, sort), BillingMode: types.BillingModePayPerRequest}
	define(in, hash)
	define(in, sort)
	for _, option := range options {
		option(in)
	}
	if _, err := s.CreateTable(s.t.Context(), in); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) put(table string, it object) {
	s.t.Helper()
	if _, err := s.PutItem(s.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: it}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) get(table string, key object) object {
	s.t.Helper()
	out, err := s.GetItem(s.t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		s.t.Fatal(err)
	}
	return out.Item
}

// wantError fails the test unless err is the given exception.
func wantError(t testing.TB, err error, code string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != code {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func must[T any](out T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}
