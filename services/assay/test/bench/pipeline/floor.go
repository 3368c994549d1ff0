package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/extract/wordstats"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/serve"
)

// floor does the minimum work for a file: put the bytes, write an item, publish an event; get
// the bytes, count the words, update the item, acknowledge the event. It guarantees only what the
// engines guarantee: each write is on disk when it is acknowledged.
//
// If withCalls is set, it also makes the other calls that Assay requires, each in its simplest
// form: an update of one item for the claim, and a stored event for the outcome.
type floor struct {
	withCalls bool
	engines   *backend.Connections
	js        jetstream.JetStream
	conn      *nats.Conn
}

const (
	floorTable  = "floor"
	floorWork   = "FLOOR_WORK"
	floorStream = "FLOOR_ENDS" // used if withCalls is set
	floorEnds   = "floor.end.*"
	// floorParallel is the maximum number of files processed concurrently, enough for all files in flight.
	floorParallel = 64
)

func playFloor(ctx context.Context, withCalls bool) (err error) {
	at, settings := environReady(), process.Runtime{}
	if at.NATS == "" {
		e, failed := startEngines(ctx)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, e.close()) }()
		at, settings = e.at, serve.Runtime()
	}
	defer settings.Apply(zerolog.Nop())() // as Assay does, with and without the engines in its process
	cfg, err := config.Load[backend.Config](at.environ())
	if err != nil {
		return err
	}
	f := &floor{withCalls: withCalls}
	if f.engines, err = backend.Stores(ctx, cfg); err != nil {
		return err
	}
	defer f.engines.Close()
	if f.conn, err = nats.Connect(at.NATS); err != nil {
		return err
	}
	defer f.conn.Close()
	if err := f.setUp(ctx); err != nil {
		return err
	}
	stop, err := f.consume(ctx)
	if err != nil {
		return err
	}
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(f.post)}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	say(ready{HTTP: "http://" + listener.Addr().String(), NATS: at.NATS, Ends: floorEnds})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (f *floor) setUp(ctx context.Context) (err error) {
	if f.js, err = jetstream.New(f.conn); err != nil {
		return err
	}
	if _, err = f.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: floorWork, Subjects: []string{"floor.work.*"}, Retention: jetstream.WorkQueuePolicy,
	}); err != nil {
		return err
	}
	if f.withCalls {
		if _, err = f.js.CreateStream(ctx, jetstream.StreamConfig{Name: floorStream, Subjects: []string{floorEnds}}); err != nil {
			return err
		}
	}
	if err := f.engines.Bucket.Ensure(ctx); err != nil {
		return err
	}
	_, err = f.engines.DB.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(floorTable), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	})
	return err
}

func (f *floor) post(w http.ResponseWriter, r *http.Request) {
	id := uuid.Must(uuid.NewV7()).String()
	if err := f.accept(r.Context(), id, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	_ = json.NewEncoder(w).Encode(map[string]string{"fileId": id})
}

func (f *floor) accept(ctx context.Context, id string, body io.Reader) error {
	if _, err := f.engines.Bucket.Put(ctx, "files/"+id, "text/plain", nil, body); err != nil {
		return err
	}
	if _, err := f.engines.DB.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(floorTable), Item: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: id}, "status": &types.AttributeValueMemberS{Value: "PENDING"},
	}}); err != nil {
		return err
	}
	_, err := f.js.Publish(ctx, "floor.work."+id, []byte(id), jetstream.WithMsgID(id))
	return err
}

func (f *floor) consume(ctx context.Context) (stop func(), err error) {
	consumer, err := f.js.CreateConsumer(ctx, floorWork, jetstream.ConsumerConfig{
		Durable: "floor", AckPolicy: jetstream.AckExplicitPolicy,
	})
	if err != nil {
		return nil, err
	}
	slots := make(chan struct{}, floorParallel)
	running, err := consumer.Consume(func(msg jetstream.Msg) {
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			if err := f.analyze(ctx, string(msg.Data())); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
			if err := msg.Ack(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	})
	if err != nil {
		return nil, err
	}
	return running.Stop, nil
}

func (f *floor) analyze(ctx context.Context, id string) error {
	if f.withCalls {
		if err := f.update(ctx, id, "PROCESSING", ""); err != nil {
			return err
		}
	}
	body, err := f.engines.Bucket.Open(ctx, "files/"+id, "")
	if err != nil {
		return err
	}
	defer body.Close()
	statistics, err := wordstats.Count(body)
	if err != nil {
		return err
	}
	result, err := json.Marshal(statistics)
	if err != nil {
		return err
	}
	if err := f.update(ctx, id, "COMPLETED", string(result)); err != nil {
		return err
	}
	if f.withCalls {
		_, err := f.js.Publish(ctx, "floor.end."+id, nil, jetstream.WithMsgID(id))
		return err
	}
	return f.conn.Publish("floor.end."+id, nil)
}

func (f *floor) update(ctx context.Context, id, status, result string) error {
	_, err := f.engines.DB.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(floorTable), Key: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: id}},
		UpdateExpression:         aws.String("SET #status = :status, #result = :result"),
		ExpressionAttributeNames: map[string]string{"#status": "status", "#result": "result"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":status": &types.AttributeValueMemberS{Value: status}, ":result": &types.AttributeValueMemberS{Value: result},
		},
	})
	return err
}
