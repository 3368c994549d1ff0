package backend

import (
	"context"
	"errors"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/obs"
)

// traced adds a span to every call of an AWS API that is made on behalf of a trace. Its retries are part of it.
func traced(base *aws.Config) {
	base.APIOptions = append(base.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("AssayTrace", traceCall), middleware.After)
	})
}

func traceCall(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	ctx, span := obs.Start(ctx, awsmiddleware.GetServiceID(ctx)+"."+awsmiddleware.GetOperationName(ctx), trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(semconv.RPCSystemNameKey.String("aws-api"), semconv.RPCMethod(awsmiddleware.GetOperationName(ctx)))
		if name := parameter(in.Parameters, "TableName"); name != "" {
			span.SetAttributes(semconv.AWSDynamoDBTableNames(name))
		}
		if name := parameter(in.Parameters, "Bucket"); name != "" {
			span.SetAttributes(semconv.AWSS3Bucket(name))
		}
	}
	out, metadata, err := next.HandleInitialize(ctx, in)
	api, ok := errors.AsType[smithy.APIError](err)
	if ok {
		span.SetAttributes(semconv.ErrorTypeKey.String(api.ErrorCode()))
	}
	if ok && api.ErrorFault() == smithy.FaultClient { // an answer, such as that a condition is not met
		span.End()
	} else {
		obs.End(span, err)
	}
	return out, metadata, err
}

// parameter returns the text of a field of a request, or "" if it has none with this name.
func parameter(request any, field string) string {
	if value := reflect.Indirect(reflect.ValueOf(request)); value.Kind() == reflect.Struct {
		if found := value.FieldByName(field); found.IsValid() {
			text, _ := reflect.TypeAssert[*string](found)
			return aws.ToString(text)
		}
	}
	return ""
}
