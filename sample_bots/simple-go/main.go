// Command bot plays Gin Rummy for the referee that started it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	pb "simple-go/arenapb"
)

const (
	name           = "simple-go"
	version        = "1.0.0"
	matchesAtOnce  = 16
	connectTimeout = 5 * time.Second
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// run plays every match that the referee gives, until it ends the stream.
func run(ctx context.Context) error {
	address, err := setting("ARENA_ADDRESS")
	if err != nil {
		return err
	}
	token, err := setting("ARENA_TOKEN")
	if err != nil {
		return err
	}
	conn, err := connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	stream, err := pb.NewArenaClient(conn).Play(ctx)
	if err != nil {
		return broken(err)
	}
	return play(stream, token)
}

func setting(variable string) (string, error) {
	value := os.Getenv(variable)
	if value == "" {
		return "", fmt.Errorf("%s is not set: the referee sets it when it starts a bot", variable)
	}
	return value, nil
}

func connect(ctx context.Context, address string) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// A proxy in the environment cannot reach a referee on this machine.
		grpc.WithNoProxy(),
		// Without pings, a referee whose machine vanished would be waited for without end.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second}),
		// The referee may begin to listen a moment after the bot was started.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.5, MaxDelay: 500 * time.Millisecond},
			MinConnectTimeout: connectTimeout,
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("ARENA_ADDRESS %q cannot be used: %w", address, err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		conn.Connect()
		if !conn.WaitForStateChange(ctx, state) {
			conn.Close()
			return nil, fmt.Errorf("no referee answers at %s", address)
		}
	}
	return conn, nil
}

// play greets the referee and answers its requests, whichever of the matches they belong to.
func play(stream grpc.BidiStreamingClient[pb.BotMessage, pb.RefereeMessage], token string) error {
	var sending sync.Mutex
	send := func(message *pb.BotMessage) {
		sending.Lock()
		defer sending.Unlock()
		// A failure to send ends the stream, and Recv then tells why.
		_ = stream.Send(message)
	}
	send(&pb.BotMessage{Kind: &pb.BotMessage_Hello{Hello: hello(token)}})
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return broken(err)
		}
		switch kind := message.Kind.(type) {
		case *pb.RefereeMessage_Refusal:
			return fmt.Errorf("refused: %s", kind.Refusal.Reason)
		case *pb.RefereeMessage_Request:
			// The requests of other matches are read while this one is thought about.
			go func() { send(&pb.BotMessage{Kind: &pb.BotMessage_Decision{Decision: decide(kind.Request)}}) }()
		}
	}
}

func hello(token string) *pb.Hello {
	return &pb.Hello{
		Protocol:   1,
		Token:      token,
		Name:       name,
		Version:    version,
		MaxMatches: matchesAtOnce,
		Software:   fmt.Sprintf("%s, grpc-go %s", strings.Replace(runtime.Version(), "go", "go ", 1), grpc.Version),
	}
}

func decide(request *pb.DecisionRequest) *pb.Decision {
	return &pb.Decision{MatchId: request.MatchId, RequestId: request.RequestId, Action: choose(request)}
}

func broken(err error) error {
	return fmt.Errorf("the stream broke: %s", status.Convert(err).Message())
}
