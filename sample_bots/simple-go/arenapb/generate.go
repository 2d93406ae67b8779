// Package arenapb is the bot protocol, generated from the files below proto/.
package arenapb

//go:generate protoc --proto_path=../proto --go_out=.. --go_opt=module=simple-go,Marena/protocol/v1/game.proto=simple-go/arenapb,Marena/protocol/v1/bot.proto=simple-go/arenapb --go-grpc_out=.. --go-grpc_opt=module=simple-go,Marena/protocol/v1/game.proto=simple-go/arenapb,Marena/protocol/v1/bot.proto=simple-go/arenapb arena/protocol/v1/game.proto arena/protocol/v1/bot.proto
