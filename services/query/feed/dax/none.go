//go:build noclients

package dax

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/rs/zerolog"
)

// Reader stands for the reader of a cluster in programs without the client.
type Reader struct{ *dynamodb.Client }

// Connect returns an error: the program cannot connect to a cluster.
func Connect(aws.Config, Config, *dynamodb.Client, zerolog.Logger) (*Reader, error) {
	return nil, errors.New("ASSAY_DAX_ENDPOINT: this program was built without the DAX client; use the program query")
}

// Close does nothing.
func (*Reader) Close() {}
