public enum HelpersModule {}
