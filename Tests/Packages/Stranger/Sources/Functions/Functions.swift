public enum FunctionsModule {}
