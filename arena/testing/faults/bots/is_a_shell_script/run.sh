# The shell stays as the parent of the bot.
python bot.py
echo "the bot has ended"
